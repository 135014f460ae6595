/** Asks again for pictures that a map service has not sent: soon at first, then ever more rarely. */

const FIRST_MS = 3_000;
const LONGEST_MS = 60_000;
/** About as many tiles as cover a screen; the others come when they are looked at. */
const MOST = 60;

export class Retries {
  #missing: (() => void)[] = [];
  #wait = FIRST_MS;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    addEventListener("online", this.#askAgain);
  }

  missed(again: () => void): void {
    this.#missing = [...this.#missing, again].slice(-MOST);
    this.#timer ??= setTimeout(this.#askAgain, this.#wait);
  }

  /** The service is there: what is missing may come soon. */
  came(): void {
    if (this.#wait === FIRST_MS) return;
    this.#wait = FIRST_MS;
    this.#stop();
    if (this.#missing.length > 0) this.#timer = setTimeout(this.#askAgain, FIRST_MS);
  }

  /** Nobody waits for what is missing. */
  forget(): void {
    this.#missing = [];
    this.#stop();
  }

  end(): void {
    this.forget();
    removeEventListener("online", this.#askAgain);
  }

  readonly #askAgain = (): void => {
    this.#stop();
    this.#wait = Math.min(this.#wait * 2, LONGEST_MS);
    if (document.hidden && this.#missing.length > 0) {
      this.#timer = setTimeout(this.#askAgain, this.#wait);
      return;
    }
    for (const again of this.#missing.splice(0)) again();
  };

  #stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
