/** LV95 for OpenLayers. The map is in it altogether: nothing is ever transformed. */

import { addProjection, get, Projection } from "ol/proj";
import { SWITZERLAND } from "./geometry";

const LV95 = "EPSG:2056";

export function lv95(): Projection {
  const known = get(LV95);
  if (known) return known;
  const projection = new Projection({ code: LV95, units: "m", extent: [...SWITZERLAND], getPointResolution: (resolution) => resolution });
  addProjection(projection);
  return projection;
}
