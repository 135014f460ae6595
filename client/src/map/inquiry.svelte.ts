/** Asks what is at a place; only the newest question counts. */

import { Failed, identify, type Found, type Question } from "./identify";

type Inquired = { state: "asking" } | { state: "found"; found: Found } | { state: "failed"; failure: Failed };

export class Inquiry {
  current = $state.raw<Inquired>({ state: "asking" });
  #abort = new AbortController();

  constructor(private readonly fetch: typeof globalThis.fetch) {}

  /** Resolves when there is an answer; with null when it is not wanted any more. */
  async ask(question: Question): Promise<Inquired | null> {
    this.leave();
    const { signal } = (this.#abort = new AbortController());
    this.current = { state: "asking" };
    const answer = await this.#answer(question, signal);
    if (signal.aborted) return null;
    return (this.current = answer);
  }

  /** Wants no answer any more. */
  leave(): void {
    this.#abort.abort();
  }

  async #answer(question: Question, signal: AbortSignal): Promise<Inquired> {
    try {
      return { state: "found", found: await identify(this.fetch, question, signal) };
    } catch (error) {
      return { state: "failed", failure: error instanceof Failed ? error : new Failed(null) };
    }
  }
}
