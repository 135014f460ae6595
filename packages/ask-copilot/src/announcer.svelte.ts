/** What a screen reader is told beside what is on the screen. */

import { untrack } from "svelte";
import type { Phrase } from "./chat/narration";

interface Announcement extends Phrase {
  n: number;
  /** Of what the server says. */
  language: string | undefined;
}

/** What is older has been read. */
const MOST = 4;

export class Announcer {
  /** The newest last. Each is read when it comes, also the same sentence twice. */
  announcements = $state.raw<readonly Announcement[]>([]);
  #count = 0;

  say(message: string): void {
    this.tell([{ own: message }]);
  }

  tell(phrases: readonly Phrase[], language?: string): void {
    const announced = phrases.map((phrase) => ({ ...phrase, language, n: this.#count++ }));
    // Who tells something in an effect does not depend on what was told before.
    const before = untrack(() => this.announcements);
    this.announcements = [...before, ...announced].slice(-Math.max(MOST, announced.length));
  }
}
