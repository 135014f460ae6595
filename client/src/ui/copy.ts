/** Copies a text, and tells whoever cannot see it what became of that. False when it was not possible. */

import type { AppState } from "../session/app-state.svelte";

/** How long it is shown what became of a copy. */
export const COPIED_MS = 4_000;

export async function copyText(text: string, { announcer, texts }: Pick<AppState, "announcer" | "texts">): Promise<boolean> {
  const isCopied = await navigator.clipboard.writeText(text).then(
    () => true,
    () => false,
  );
  announcer.say(texts.t(isCopied ? "chat.copied" : "chat.copyFailed"));
  return isCopied;
}
