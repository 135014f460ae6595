/** What is measured, as it is drawn. */

import Feature from "ol/Feature";
import LineString from "ol/geom/LineString";
import Point from "ol/geom/Point";
import Polygon from "ol/geom/Polygon";
import type VectorLayer from "ol/layer/Vector";
import type VectorSource from "ol/source/Vector";
import { Circle, Fill, Stroke, Style } from "ol/style";
import type { Coord, Palette } from "@ask-sogis/map-actions";
import { featureLayer } from "@ask-sogis/map-actions/openlayers";
import type { Measured } from "./measuring";

const MEASURE_Z = 970;

export function measureLayer(): VectorLayer<VectorSource> {
  return featureLayer(MEASURE_Z);
}

/** `next` is where the line would go on. */
export function showMeasured(layer: VectorLayer<VectorSource>, { kind, points }: Measured, next: Coord | null, palette: Palette): void {
  const source = layer.getSource();
  source?.clear(true);
  const corners = [...points, ...(next && points.length > 0 ? [next] : [])].map((each) => [...each]);
  const casing = new Style({ stroke: new Stroke({ color: palette.halo, width: 6 }) });
  const line = new Stroke({ color: palette.mark, width: 2.5, ...(next ? { lineDash: [8, 6] } : {}) });
  const fill = new Fill({ color: palette.markFill });
  const isArea = kind === "area" && corners.length > 2;
  const shape = new Feature(isArea ? new Polygon([[...corners, corners[0]!]]) : new LineString(corners));
  shape.setStyle([casing, new Style({ stroke: line, fill })]);
  const image = new Circle({
    radius: 5,
    fill: new Fill({ color: palette.halo }),
    stroke: new Stroke({ color: palette.mark, width: 2.5 }),
  });
  const dots = points.map((each) => {
    const dot = new Feature(new Point([...each]));
    dot.setStyle(new Style({ image, zIndex: 1 }));
    return dot;
  });
  source?.addFeatures([...(corners.length > 1 ? [shape] : []), ...dots]);
}
