/** Names that the end of an unfinished message may become; only the newest question counts. */

import { fieldsOf, listOf, textOf, type Server } from "@ask-sogis/client";
import type { Schemas } from "./contract";

const KINDS = ["address", "place", "municipality", "parcel", "layer"] as const;
const PAUSE_MS = 80;
const MIN_CHARS = 2;
/** More are not asked about: a name is at the end. */
const MAX_CHARS = 100;
const MAX_NAMES = 5;
const MAX_LABEL_CHARS = 200;

export interface Name {
  kind: (typeof KINDS)[number];
  label: string;
  /** What tells it from others of the same name. */
  detail: string;
  /** The whole message with it. */
  message: string;
}

export class Suggesting {
  names = $state.raw<readonly Name[]>([]);
  /** Which of them the keyboard is at; -1 is the message itself. */
  at = $state(-1);
  #abort = new AbortController();
  #pause: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly server: Server) {}

  /** After a rest, asks for what has been written. What was suggested before stays until then. */
  write(message: string): void {
    this.#forget();
    this.at = -1;
    const asked = endOf(message);
    if ([...asked.trim()].length < MIN_CHARS) this.names = [];
    else this.#pause = setTimeout(() => void this.#ask(message, asked, this.#abort.signal), PAUSE_MS);
  }

  close(): void {
    this.#forget();
    this.names = [];
    this.at = -1;
  }

  /** To the next (1) or the one before (-1), round and round by way of the message. */
  move(by: 1 | -1): void {
    const stops = this.names.length + 1;
    this.at = ((this.at + 1 + by + stops) % stops) - 1;
  }

  #forget(): void {
    clearTimeout(this.#pause);
    this.#abort.abort();
    this.#abort = new AbortController();
  }

  async #ask(message: string, asked: string, signal: AbortSignal): Promise<void> {
    let names: readonly Name[] = [];
    try {
      names = readNames(await this.server.suggest(asked, { limit: MAX_NAMES, signal }), message, asked);
    } catch {
      // Without suggestions one writes on.
    }
    if (signal.aborted) return;
    this.names = names;
    this.at = -1;
  }
}

/** As much of the end as may be asked about, from the beginning of a word. */
function endOf(message: string): string {
  const characters = [...message];
  if (characters.length <= MAX_CHARS) return message;
  return characters
    .slice(-MAX_CHARS)
    .join("")
    .replace(/^\S*\s+/u, "");
}

/** Those that would change the message; `asked` is its end. */
export function readNames(document: unknown, message: string, asked: string): readonly Name[] {
  const { items, from } = fieldsOf<Schemas["Suggestions"]>(document);
  const characters = [...asked];
  if (typeof from !== "number" || !Number.isInteger(from) || from < 0 || from > characters.length) return [];
  const before = message.slice(0, message.length - asked.length) + characters.slice(0, from).join("");
  const names = listOf(items).flatMap((item) => {
    const { kind, label, detail } = fieldsOf<Schemas["Suggestion"]>(item);
    const known = KINDS.find((each) => each === kind);
    const name = lineOf(label);
    const completed = before + name;
    if (!known || !name || completed.toLowerCase() === message.trim().toLowerCase()) return [];
    return [{ kind: known, label: name, detail: lineOf(detail), message: completed }];
  });
  return names.slice(0, MAX_NAMES);
}

function lineOf(value: unknown): string {
  return textOf(value).replace(/\s+/gu, " ").trim().slice(0, MAX_LABEL_CHARS);
}
