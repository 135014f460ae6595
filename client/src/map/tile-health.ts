/** Whether the tiles of a background arrive. */

const FAILURES_UNTIL_DOWN = 4;
/** A blocked request may hang for minutes. */
const SILENCE_MS = 2_500;

export class TileHealth {
  isDown = false;
  #failures = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `tell` hears of changes. */
  constructor(private readonly tell: (isDown: boolean) => void) {}

  /** Tiles are asked for from now on. */
  begin(isDown: boolean): void {
    this.isDown = isDown;
    if (!isDown) this.#timer = setTimeout(() => this.#set(true), SILENCE_MS);
  }

  report(failed: boolean): void {
    clearTimeout(this.#timer);
    this.#failures = failed ? this.#failures + 1 : 0;
    if (!failed) this.#set(false);
    else if (this.#failures >= FAILURES_UNTIL_DOWN) this.#set(true);
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  #set(isDown: boolean): void {
    if (this.isDown === isDown) return;
    this.isDown = isDown;
    this.tell(isDown);
  }
}
