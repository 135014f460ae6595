/** Map actions on a map of MapLibre: `@ask-sogis/map-actions/maplibre`. */

export { MapLibreMap } from "./adapter.js";
export { MapLibreCamera } from "./camera.js";
