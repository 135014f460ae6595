/** Copies texts: what became of the last one is shown for a while, and told to whoever cannot see it. */

import type { Copilot } from "../copilot.svelte";

/** How long it is shown what became of a copy. */
export const COPIED_MS = 4_000;

export class Copying {
  /** Null when there is nothing to be shown. */
  hasCopied = $state<boolean | null>(null);

  constructor(private readonly app: Pick<Copilot, "announcer" | "texts">) {}

  async copy(text: string): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      this.hasCopied = true;
    } catch {
      this.hasCopied = false;
    }
    this.app.announcer.say(this.app.texts.t(this.hasCopied ? "chat.copied" : "chat.copyFailed"));
    setTimeout(() => (this.hasCopied = null), COPIED_MS);
  }
}
