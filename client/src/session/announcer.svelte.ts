/** What a screen reader is told beside what is on the screen. */

export class Announcer {
  message = $state("");
  #odd = false;

  say(message: string): void {
    this.#odd = !this.#odd;
    // The same sentence twice is news too.
    this.message = this.#odd ? message : `${message}\u00a0`;
  }
}
