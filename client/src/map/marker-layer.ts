/** Markers with their labels, and the numbered places of a choice. */

import Feature from "ol/Feature";
import Point from "ol/geom/Point";
import VectorLayer from "ol/layer/Vector";
import VectorSource from "ol/source/Vector";
import { Circle, Fill, Icon, Stroke, Style, Text } from "ol/style";
import type { Marker } from "./actions";
import type { Coord } from "./geometry";
import { FAMILY, type Palette } from "./palette";
import pin from "./pin.svg?url";

const MAX_LABEL_CHARS = 60;

export function featureLayer(zIndex: number, declutter: boolean): VectorLayer<VectorSource> {
  return new VectorLayer({ source: new VectorSource(), zIndex, declutter, updateWhileAnimating: true });
}

export function showMarkers(layer: VectorLayer<VectorSource>, markers: readonly Marker[], palette: Palette): void {
  const features = markers.map((marker) => {
    const feature = new Feature(new Point([...marker.coord]));
    feature.setStyle([new Style({ image: pinImage(), zIndex: 2 }), ...(marker.label ? [labelStyle(marker.label, palette)] : [])]);
    return feature;
  });
  replace(layer, features);
}

export function showCandidates(layer: VectorLayer<VectorSource>, coords: readonly Coord[], palette: Palette): void {
  const features = coords.map((coord, n) => {
    const feature = new Feature(new Point([...coord]));
    feature.setStyle(
      new Style({
        image: new Circle({
          radius: 11,
          fill: new Fill({ color: palette.badge }),
          stroke: new Stroke({ color: palette.halo, width: 2 }),
        }),
        text: new Text({ text: String(n + 1), font: `600 12px ${FAMILY}`, fill: new Fill({ color: palette.badgeInk }), offsetY: 1 }),
        zIndex: -n,
      }),
    );
    return feature;
  });
  replace(layer, features);
}

/** A pin, and at its foot a ring around the very place. */
export function showPoint(layer: VectorLayer<VectorSource>, point: Coord | null, palette: Palette): void {
  const feature = new Feature(new Point([...(point ?? [0, 0])]));
  const ring = (color: string, width: number) =>
    new Style({ image: new Circle({ radius: 6, stroke: new Stroke({ color, width }), fill: new Fill({ color: palette.markFill }) }) });
  feature.setStyle([ring(palette.halo, 5), ring(palette.mark, 2), new Style({ image: pinImage(), zIndex: 2 })]);
  replace(layer, point ? [feature] : []);
}

function pinImage(): Icon {
  return new Icon({ src: pin, anchor: [0.5, 45 / 48] });
}

function labelStyle(label: string, palette: Palette): Style {
  const text = label.length > MAX_LABEL_CHARS ? `${label.slice(0, MAX_LABEL_CHARS - 1)}…` : label;
  return new Style({
    zIndex: 3,
    text: new Text({
      text,
      font: `600 13px ${FAMILY}`,
      offsetY: -61,
      padding: [5, 9, 4, 9],
      fill: new Fill({ color: palette.ink }),
      backgroundFill: new Fill({ color: palette.label }),
      backgroundStroke: new Stroke({ color: palette.line, width: 1 }),
    }),
  });
}

function replace(layer: VectorLayer<VectorSource>, features: Feature[]): void {
  const source = layer.getSource();
  source?.clear(true);
  source?.addFeatures(features);
}
