/** How things look, as styles of OpenLayers. */

import { Circle, Fill, Stroke, Style } from "ol/style.js";
import type { Look } from "../looks.js";

/** The casing first. */
export function stylesOf({ casing, line, fill, dot }: Look, zIndex?: number): [casing: Style, shape: Style] {
  const order = zIndex === undefined ? {} : { zIndex };
  const shape = new Style({ ...order, stroke: new Stroke(line), fill: new Fill({ color: fill }), image: circleOf(dot) });
  return [new Style({ ...order, stroke: new Stroke(casing) }), shape];
}

export function circleOf({ radius, fill, rim }: Look["dot"]): Circle {
  return new Circle({ radius, declutterMode: "none", fill: new Fill({ color: fill }), stroke: new Stroke(rim) });
}
