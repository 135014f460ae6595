/** Whether background tiles arrive. Decides when the map falls back on what it can draw itself. */

const FAILURES_UNTIL_DOWN = 4;
/** A blocked request may hang for minutes. */
const SILENCE_MS = 2_500;

export class TileHealth {
  #failures = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isDown = false;

  constructor(private readonly tell: (isDown: boolean) => void) {}

  /** Another background is asked for. */
  begin(expectsTiles: boolean): void {
    clearTimeout(this.#timer);
    this.#failures = 0;
    this.#set(false);
    if (expectsTiles) this.#timer = setTimeout(() => this.#set(true), SILENCE_MS);
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
    if (this.#isDown === isDown) return;
    this.#isDown = isDown;
    this.tell(isDown);
  }
}
