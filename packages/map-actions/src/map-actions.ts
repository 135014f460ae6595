/** Actions on a map of somebody else's, for those who show the chat themselves or need none. */

import { ActionBus, type MapResult } from "./action-bus.js";
import type { MapAdapter } from "./adapter.js";
import type { Size, Viewpoint } from "./camera.js";
import { MAX_UNDO_STEPS } from "./actions.js";
import { EMPTY, isMark, type Contents } from "./contents.js";
import { contextOf, type MapContext } from "./context.js";
import { isOfHosts } from "./links.js";
import { MapState } from "./map-state.js";

interface Options {
  /** Origins that layers may be loaded from (`https://geo.so.ch`, `https://*.example.ch`); any when it is missing. */
  layerHosts?: readonly string[];
  /** Hears when something else is on the map, or can be taken back. */
  changed?(map: MapActions): void;
}

export class MapActions {
  readonly #state: MapState;
  readonly #bus: ActionBus;
  readonly #stop: () => void;
  #hasEnded = false;
  #place: { viewpoint: Viewpoint; free: Size } | null = null;

  constructor(
    private readonly adapter: MapAdapter,
    { layerHosts, changed }: Options = {},
  ) {
    const contents = { ...EMPTY, background: adapter.background };
    this.#state = new MapState(contents, async () => adapter.camera, {
      changed: ({ shown }) => {
        // What was on its way comes too late.
        if (this.#hasEnded) return;
        adapter.show(shown);
        if (changed) queueMicrotask(() => changed(this));
      },
      // The map tells it itself a moment later, when it is drawn there.
      moved: (viewpoint) => (this.#place &&= { ...this.#place, viewpoint }),
    });
    this.#bus = new ActionBus(this.#state, {
      mayLoad: async (url) => layerHosts === undefined || isOfHosts(url, layerHosts),
      refusal: (action) => (this.#hasEnded ? "map_unavailable" : adapter.refusal(action)),
    });
    this.#stop = adapter.listen({ moved: (viewpoint, free) => (this.#place = { viewpoint, free }) });
  }

  /** What the actions have put on the map. */
  get contents(): Contents {
    return this.#state.contents;
  }

  /** How many steps can be taken back. */
  get undoable(): number {
    return this.#state.undoable;
  }

  /** To be sent along with a message, as `map`; null as long as the map is not drawn. */
  get context(): MapContext | null {
    const listed = this.contents.layers.filter((layer) => !isMark(layer));
    return this.#place && contextOf(this.#state.homeOf(this.#place.viewpoint), this.#place.free, null, listed);
  }

  /**
   * Does the actions one after the other, after all that came before. Never rejects: what became of each is in the results,
   * which are to be sent along with the next message, as `mapResults`. What is done `by` the same is taken back together.
   */
  apply(actions: readonly unknown[], by?: string): Promise<MapResult[]> {
    return this.#bus.apply(actions, by);
  }

  /** Takes back the last steps, 20 at most. False when there was nothing to take back. */
  async undo(steps = 1): Promise<boolean> {
    const [result] = await this.apply([{ type: "undo", payload: { steps: Math.min(steps, MAX_UNDO_STEPS) } }]);
    return result?.status === "applied";
  }

  /** Shows what the actions would do, until something else happens. */
  preview(actions: readonly unknown[]): Promise<void> {
    return this.#bus.preview(actions);
  }

  endPreview(): Promise<void> {
    return this.#bus.endPreview();
  }

  /** Takes everything from the map; nothing can be done with this any more. */
  end(): void {
    this.#hasEnded = true;
    this.#stop();
    this.adapter.end();
  }
}
