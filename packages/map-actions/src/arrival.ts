/** How the pictures of a layer come. */

export type LayerState = "loading" | "loaded" | "silent";

/** Hears what becomes of pictures, each by a key of its own. */
export interface Heard {
  asked(key: unknown): void;
  came(key: unknown): void;
  failed(key: unknown): void;
}

/** A service that says nothing for so long is likely to be away; it is waited for all the same. */
const SILENCE_MS = 8_000;

export class Arrival implements Heard {
  #state: LayerState | null = null;
  #pending = new Set<unknown>();
  #hasCome = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `tell` hears of changes. */
  constructor(private readonly tell: (state: LayerState) => void) {}

  asked(key: unknown): void {
    this.#pending.add(key);
    // That a silent service is asked again is no news.
    if (this.#state !== "silent") this.#set("loading");
    this.#wait();
  }

  came(key: unknown): void {
    this.#pending.delete(key);
    this.#hasCome = true;
    if (this.#state === "silent") this.#set("loading");
    this.#settle();
  }

  failed(key: unknown): void {
    if (this.#pending.delete(key)) this.#settle();
  }

  /** Nobody waits any more for one of them. */
  dropped(key: unknown): void {
    if (!this.#pending.delete(key)) return;
    this.#wait();
    if (this.#pending.size === 0 && this.#hasCome) this.#settle();
  }

  /** Nobody waits any more for what was asked for. */
  forget(): void {
    this.#pending.clear();
    clearTimeout(this.#timer);
  }

  #settle(): void {
    this.#wait();
    if (this.#pending.size > 0) return;
    this.#set(this.#hasCome ? "loaded" : "silent");
    this.#hasCome = false;
  }

  #wait(): void {
    clearTimeout(this.#timer);
    if (this.#pending.size > 0) this.#timer = setTimeout(() => this.#set("silent"), SILENCE_MS);
  }

  #set(state: LayerState): void {
    if (this.#state === state) return;
    this.#state = state;
    this.tell(state);
  }
}
