/** Map actions on a map of OpenLayers: `@ask-sogis/map-actions/openlayers`. */

export { OpenLayersMap } from "./adapter.js";
export { OlCamera } from "./camera.js";
export { end, tileLayer, type Fineness } from "./layers.js";
export { featureLayer, pointStyles, replace } from "./markers.js";
export { inTime } from "./patience.js";
export { lv95 } from "./projection.js";
export { Shapes } from "./shapes.js";
