/** How the tiles of our sources come; those that do not come are asked for again. */

import type { ErrorEvent, Map as MapLibre, MapSourceDataEvent } from "maplibre-gl";
import { Arrival, type LayerState } from "../arrival.js";
import { Retries } from "../retries.js";

const LOOK_MS = 500;

/** What of a tile of MapLibre is needed here. */
interface Tile {
  state: string;
}

interface Followed {
  arrival: Arrival;
  retries: Retries;
  pending: Set<Tile>;
  /** Those that have failed since one of them has come. */
  missed: Set<Tile>;
  /** Whether tiles are to be asked for again. */
  isMissing: boolean;
}

export class Loading {
  readonly #followed = new Map<string, Followed>();
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(private readonly map: MapLibre) {}

  begin(): void {
    this.map.on("sourcedataloading", this.#asked);
    this.map.on("sourcedata", this.#came);
    this.map.on("sourcedataabort", this.#dropped);
    this.map.on("error", this.#failed);
    this.map.on("remove", this.#removed);
  }

  follow(source: string, tell: (state: LayerState) => void): void {
    this.forget(source);
    this.#followed.set(source, {
      arrival: new Arrival(tell),
      retries: new Retries(),
      pending: new Set(),
      missed: new Set(),
      isMissing: false,
    });
  }

  forget(source: string): void {
    const followed = this.#followed.get(source);
    followed?.arrival.forget();
    followed?.retries.end();
    this.#followed.delete(source);
  }

  end(): void {
    for (const source of [...this.#followed.keys()]) this.forget(source);
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.map.off("sourcedataloading", this.#asked);
    this.map.off("sourcedata", this.#came);
    this.map.off("sourcedataabort", this.#dropped);
    this.map.off("error", this.#failed);
    this.map.off("remove", this.#removed);
  }

  /** A map that is gone has no tiles. */
  readonly #removed = (): void => this.end();

  readonly #asked = ({ sourceId, tile }: MapSourceDataEvent): void => {
    const followed = this.#followed.get(sourceId);
    if (!followed || !tile) return;
    followed.pending.add(tile as Tile);
    followed.arrival.asked(tile);
    this.#timer ??= setInterval(this.#look, LOOK_MS);
  };

  readonly #came = ({ sourceId, tile }: MapSourceDataEvent): void => {
    const followed = this.#followed.get(sourceId);
    if (!followed || !tile) return;
    followed.pending.delete(tile as Tile);
    followed.arrival.came(tile);
    // Those that have come before come again with the others.
    if (followed.missed.delete(tile as Tile)) followed.retries.came();
  };

  readonly #dropped = ({ sourceId, tile }: MapSourceDataEvent): void => {
    const followed = this.#followed.get(sourceId);
    followed?.pending.delete(tile as Tile);
    followed?.missed.delete(tile as Tile);
    followed?.arrival.dropped(tile);
  };

  readonly #failed = (event: ErrorEvent): void => {
    const { sourceId, tile } = event as ErrorEvent & { sourceId?: string; tile?: Tile };
    if (sourceId !== undefined && this.#followed.has(sourceId)) {
      if (tile) this.#miss(sourceId, tile);
      return;
    }
    // That we listen keeps the errors of others from the console, where the map puts those that nobody hears.
    this.map.off("error", this.#failed);
    if (!this.map.listens("error")) console.error(event.error);
    this.map.on("error", this.#failed);
  };

  /** Of a tile that a service does not have, nothing is told. */
  readonly #look = (): void => {
    for (const [source, { pending }] of this.#followed) {
      for (const tile of pending) if (tile.state === "errored") this.#miss(source, tile);
    }
    if ([...this.#followed.values()].some(({ pending }) => pending.size > 0)) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  };

  #miss(source: string, tile: Tile): void {
    const followed = this.#followed.get(source)!;
    followed.pending.delete(tile);
    followed.missed.add(tile);
    followed.arrival.failed(tile);
    if (followed.isMissing) return;
    followed.isMissing = true;
    followed.retries.missed(() => {
      followed.isMissing = false;
      // All of them: MapLibre would draw a single one that has no picture yet. After another style there is no source for a while.
      if (this.map.getSource(source)) this.map.refreshTiles(source);
    });
  }
}
