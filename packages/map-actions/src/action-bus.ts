/** The one way from the chat to the map: actions are done strictly one after the other, and acknowledged. */

import { readAction, type MapAction, type View } from "./actions.js";
import { Refused, type Reason } from "./checks.js";
import type { MapState } from "./map-state.js";

/** What became of an action. */
export interface MapResult {
  type: string;
  id?: string;
  status: "applied" | "failed";
  reason?: Reason;
}

export type MapTarget = Pick<MapState, "apply" | "beginBatch" | "preview" | "endPreview">;

/** What may be done on a map. */
interface Limits {
  /** Whether pictures may be loaded from an address. */
  mayLoad(url: string): Promise<boolean>;
  /** Why an action cannot be done on it, whatever is on it; null when it can. */
  refusal?(action: MapAction): Reason | null;
}

export class ActionBus {
  #tail: Promise<unknown> = Promise.resolve();
  #wanted = 0;
  #batches = 0;

  constructor(
    private readonly map: MapTarget,
    private readonly limits: Limits,
  ) {}

  /** Does the actions after all that came before. What is done `by` the same is taken back together. Never rejects. */
  apply(actions: readonly unknown[], by = `batch ${this.#batches++}`): Promise<MapResult[]> {
    this.#wanted++;
    return this.#enqueue(async () => {
      await this.map.endPreview().catch(() => undefined);
      return this.#run(Array.isArray(actions) ? actions : [], by);
    });
  }

  /** Shows what the actions would do, until something else happens; `view` is where to look if that is out of sight. */
  preview(actions: readonly unknown[], view: View | null = null): Promise<void> {
    return this.#look(async () => {
      const read = await Promise.all(actions.map((action) => this.#read(action).catch(() => null)));
      await this.map.preview(
        read.filter((action) => action !== null),
        view,
      );
    });
  }

  endPreview(): Promise<void> {
    return this.#look(() => this.map.endPreview());
  }

  #look(at: () => Promise<void>): Promise<void> {
    const wanted = ++this.#wanted;
    return this.#enqueue(async () => {
      // The pointer has moved on while others were at work.
      if (wanted !== this.#wanted) return;
      // A map that is not there shows nothing.
      await at().catch(() => undefined);
    });
  }

  async #run(actions: readonly unknown[], by: string): Promise<MapResult[]> {
    const results: MapResult[] = [];
    this.map.beginBatch(by);
    for (const action of actions) results.push(await this.#one(action));
    return results;
  }

  async #one(value: unknown): Promise<MapResult> {
    const named = nameOf(value);
    try {
      await this.map.apply(await this.#read(value));
      return { ...named, status: "applied" };
    } catch (error) {
      return { ...named, status: "failed", reason: error instanceof Refused ? error.reason : "map_unavailable" };
    }
  }

  /** Throws `Refused`. */
  async #read(value: unknown): Promise<MapAction> {
    const action = readAction(value);
    const reason = this.limits.refusal?.(action);
    if (reason) throw new Refused(reason);
    if (action.type !== "addLayer" || action.payload.source.type === "geojson") return action;
    if (!(await this.limits.mayLoad(action.payload.source.url))) throw new Refused("foreign_host");
    return action;
  }

  #enqueue<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#tail.then(work);
    this.#tail = done.catch(() => undefined);
    return done;
  }
}

const MAX_NAME_CHARS = 128;

function nameOf(value: unknown): { type: string; id?: string } {
  const { type, payload } = (value ?? {}) as { type?: unknown; payload?: { id?: unknown; egrid?: unknown } };
  const id = payload?.id ?? payload?.egrid;
  const name = { type: typeof type === "string" ? type.slice(0, MAX_NAME_CHARS) : "?" };
  return typeof id === "string" && id !== "" ? { ...name, id: id.slice(0, MAX_NAME_CHARS) } : name;
}
