/** LV95 for OpenLayers. */

import { get, type Projection } from "ol/proj";
import { register } from "ol/proj/proj4";
import proj4 from "proj4";
import { SWITZERLAND } from "./geometry";

const LV95 = "EPSG:2056";
const DEFINITION =
  "+proj=somerc +lat_0=46.9524055555556 +lon_0=7.43958333333333 +k_0=1 +x_0=2600000 +y_0=1200000 " +
  "+ellps=bessel +towgs84=674.374,15.056,405.346,0,0,0,0 +units=m +no_defs";

export function lv95(): Projection {
  if (!get(LV95)) {
    proj4.defs(LV95, DEFINITION);
    register(proj4);
  }
  const projection = get(LV95)!;
  projection.setExtent([...SWITZERLAND]);
  return projection;
}
