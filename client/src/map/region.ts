/** The region that the map is of: a fine line around it, and the rest a little dimmed. */

import { textOf } from "@ask-sogis/client";
import Feature from "ol/Feature";
import GeoJSON from "ol/format/GeoJSON";
import MultiPolygon from "ol/geom/MultiPolygon";
import Polygon, { fromExtent } from "ol/geom/Polygon";
import VectorLayer from "ol/layer/Vector";
import VectorSource from "ol/source/Vector";
import { Fill, Stroke, Style } from "ol/style";
import { boundsOf, SWITZERLAND, type Palette } from "@ask-sogis/map-actions";

/** Above the background, below the layers; and below the names that stand in for a background. */
export const REGION_Z = 50;
export const REGION_Z_OF_NAMES = 0.5;
/** Metres a pixel: from here on one is in the middle of it, and looks at something else. */
const LEAVES_BELOW_M = 5;

export function regionLayer(): VectorLayer<VectorSource> {
  return new VectorLayer({ source: new VectorSource(), zIndex: REGION_Z, minResolution: LEAVES_BELOW_M });
}

/** Whose it is, if it says so. Nothing is drawn of what is no outline, or does not come. */
export async function loadRegion(layer: VectorLayer<VectorSource>, url: string): Promise<readonly string[]> {
  const response = await fetch(url).catch(() => null);
  const document: unknown = response?.ok ? await response.json().catch(() => null) : null;
  if (boundsOf(document) === null) return [];
  const features = new GeoJSON().readFeatures(document as object);
  const rings = features
    .map((feature) => feature.getGeometry())
    .flatMap((geometry) => (geometry instanceof MultiPolygon ? geometry.getPolygons() : geometry instanceof Polygon ? [geometry] : []))
    .map((polygon) => polygon.getLinearRing(0)!.getCoordinates());
  const around = fromExtent([...SWITZERLAND])
    .getLinearRing(0)!
    .getCoordinates();
  const line = new Feature({ geometry: new MultiPolygon(rings.map((ring) => [ring])) });
  layer.getSource()?.addFeatures([new Feature({ geometry: new Polygon([around, ...rings]) }), line]);
  return features.map((feature) => textOf(feature.get("attribution"))).filter(Boolean);
}

export function paintRegion(layer: VectorLayer<VectorSource>, palette: Palette): void {
  const dimmed = new Style({ fill: new Fill({ color: palette.veil }) });
  const line = [
    new Style({ stroke: new Stroke({ color: palette.halo, width: 4 }) }),
    new Style({ stroke: new Stroke({ color: palette.region, width: 1.25 }) }),
  ];
  layer.setStyle((feature) => (feature.getGeometry() instanceof MultiPolygon ? line : dimmed));
}
