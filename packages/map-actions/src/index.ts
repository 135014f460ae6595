/** Map actions and what they make of a map, without any library that draws. */

export { ActionBus, type MapResult, type MapTarget } from "./action-bus.js";
export * from "./actions.js";
export * from "./adapter.js";
export { Arrival, type Heard, type LayerState } from "./arrival.js";
export { isSamePlace, type Camera, type Size, type Viewpoint } from "./camera.js";
export { isFields, Refused, type Fields, type Reason } from "./checks.js";
export * from "./contents.js";
export { contextOf, resolutionOfScale, scaleOf, type MapContext } from "./context.js";
export * from "./features.js";
export * from "./geometry.js";
export * from "./links.js";
export { lv95Of, toLv95, wgs84Of, type LonLat } from "./lv95.js";
export { MapActions } from "./map-actions.js";
export { MapState } from "./map-state.js";
export * from "./palette.js";
export { isStill } from "./stillness.js";
export * from "./tile-grids.js";
