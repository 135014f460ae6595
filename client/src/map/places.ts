/** The map of last resort: the names of the places, drawn here. */

import Feature from "ol/Feature";
import Point from "ol/geom/Point";
import VectorLayer from "ol/layer/Vector";
import VectorSource from "ol/source/Vector";
import { Circle, Fill, Stroke, Style, Text } from "ol/style";
import type { Place } from "./config";
import { FAMILY, type Palette } from "@ask-sogis/map-actions";

/** By rank: up to how many metres a pixel a place is named, and how. */
const RANKS = [
  { until: Infinity, font: "600 16px", radius: 4.5 },
  { until: 75, font: "400 12.5px", radius: 2.5 },
  { until: 15, font: "400 12.5px", radius: 2 },
] as const;

export function placesLayer(places: readonly Place[], palette: Palette): VectorLayer {
  const features = places.map(([name, east, north, rank]) => {
    const feature = new Feature(new Point([east, north]));
    feature.setProperties({ name, rank }, true);
    return feature;
  });
  const layer = new VectorLayer({ source: new VectorSource({ features }), declutter: true, zIndex: 1 });
  paintPlaces(layer, palette);
  return layer;
}

export function paintPlaces(layer: VectorLayer, palette: Palette): void {
  const styles = RANKS.map(({ font, radius }, rank) => {
    const ink = rank === 0 ? palette.ink : palette.quietInk;
    return new Style({
      zIndex: 10 - rank,
      image: new Circle({
        radius,
        fill: new Fill({ color: rank === 0 ? palette.halo : ink }),
        stroke: new Stroke({ color: ink, width: rank === 0 ? 2.5 : 0.5 }),
      }),
      text: new Text({
        font: `${font} ${FAMILY}`,
        textAlign: "left",
        offsetX: radius + 5,
        offsetY: 1,
        fill: new Fill({ color: ink }),
        stroke: new Stroke({ color: palette.halo, width: 3.5 }),
      }),
    });
  });
  layer.setStyle((feature, resolution) => {
    const rank = feature.get("rank") as Place[3];
    const style = styles[rank];
    if (resolution > RANKS[rank].until || !style) return undefined;
    style.getText()?.setText(String(feature.get("name")));
    return style;
  });
}
