/** Asks what is at a place; only the newest question counts. */

import { problemBehind, type Server, type Problem } from "@ask-sogis/client";
import { identify, type Found, type Question } from "@ask-sogis/copilot/map/identify";

type Inquired = { state: "asking" } | { state: "found"; found: Found } | { state: "failed"; problem: Problem };

export class Inquiry {
  current = $state.raw<Inquired>({ state: "asking" });
  #abort = new AbortController();

  constructor(private readonly server: Server) {}

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
      return { state: "found", found: await identify(this.server, question, signal) };
    } catch (error) {
      return { state: "failed", problem: problemBehind(error) };
    }
  }
}
