/** What a library that draws maps has to be able to do for the actions. */

import type { Background, MapAction } from "./actions.js";
import type { LayerState } from "./arrival.js";
import type { Camera, Size, Viewpoint } from "./camera.js";
import type { Reason } from "./checks.js";
import type { Contents } from "./contents.js";
import type { FeatureRef } from "./features.js";
import type { Coord, Where } from "./geometry.js";

/** What stands out for a while; it is not part of the contents. */
export interface Emphasis {
  /** One of the features of a table. */
  highlighted: FeatureRef | null;
  /** Places to choose from, numbered from 1. */
  candidates: readonly Where[];
  /** What is being pointed at elsewhere. */
  lifted: Where | null;
}

/** Nothing does. */
export const CALM: Emphasis = { highlighted: null, candidates: [], lifted: null };

/** What the map tells. */
export interface Listener {
  /** `free` is how much of the map nothing lies over. */
  moved(viewpoint: Viewpoint, free: Size): void;
  /** How the pictures of a layer come. */
  loading(layer: string, state: LayerState): void;
  /** Null: there is no pointer on the map. */
  pointed(coord: Coord | null): void;
  clicked(coord: Coord): void;
}

export interface MapAdapter {
  readonly camera: Camera;
  /** The background that was there at first. */
  readonly background: Background;
  /** Why an action cannot be done on this map, whatever is on it; null when it can. */
  refusal(action: MapAction): Reason | null;
  /** Draws what is on the map in place of what was drawn before. */
  show(contents: Contents): void;
  emphasise(emphasis: Emphasis): void;
  /** From now on; tells at once where the map is. Returns how to end it. */
  listen(listener: Partial<Listener>): () => void;
  /** Takes all from the map that was drawn, and leaves it as it was before. What is shown then is drawn anew. */
  end(): void;
}
