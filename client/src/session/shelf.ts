/** Conversations that were begun earlier: on this device, or with an account on the server. */

import { fieldsOf, listOf, problemBehind, textOf, type Server } from "@ask-sogis/client";
import { createStore, del, get, set, update, type UseStore } from "idb-keyval";
import type { Exchange } from "@ask-sogis/copilot/chat/turn";
import type { Snapshot } from "@ask-sogis/copilot/map/model.svelte";

/** What a list shows of a conversation. */
export interface Spine {
  /** Of its session. */
  id: string;
  /** What was asked first. */
  title: string;
  /** When it went on last, in ms. */
  at: number;
}

export interface Kept extends Spine {
  exchanges: readonly Exchange[];
  /** How many exchanges before these could not be kept. */
  lost: number;
  map: Snapshot;
}

export interface Shelf {
  /** The latest first. Throws when it cannot be read; so do the others. */
  list(): Promise<readonly Spine[]>;
  take(id: string): Promise<Kept | null>;
  put(kept: Kept): Promise<void>;
  remove(id: string): Promise<void>;
}

const MAX_KEPT = 50;
const MAX_TITLE_CHARS = 120;
const INDEX = "index";

export function keptOf(id: string, exchanges: readonly Exchange[], lost: number, map: Snapshot, at: number): Kept {
  const asked = exchanges[0]?.asked;
  const title = asked?.kind === "message" ? asked.text : (asked?.label ?? "");
  return { id, title: title.slice(0, MAX_TITLE_CHARS), at, exchanges, lost, map };
}

/** The same with those exchanges before its own that were kept earlier. */
export function preceded(kept: Kept, earlier: Kept | null): Kept {
  const own = new Set(kept.exchanges.map(({ key }) => key));
  const before = (earlier?.exchanges ?? []).filter(({ key, state }) => state !== "running" && !own.has(key));
  if (!earlier || before.length === 0) return kept;
  return { ...kept, title: earlier.title, exchanges: [...before, ...kept.exchanges], lost: Math.max(0, kept.lost - before.length) };
}

/** In the database of the browser. When that is full, the oldest conversations go, never the one that is kept. */
export function deviceShelf(store: UseStore = createStore("ask.sogis", "conversations")): Shelf {
  const list = async () => (await get<readonly Spine[]>(INDEX, store)) ?? [];
  const forget = async (ids: readonly string[]) => {
    await update<readonly Spine[]>(INDEX, (index = []) => index.filter(({ id }) => !ids.includes(id)), store);
    for (const id of ids) await del(id, store);
  };
  return {
    list,
    take: async (id) => (await get<Kept>(id, store)) ?? null,
    put: async (kept) => {
      const { id, title, at } = kept;
      const others = (await list()).filter((each) => each.id !== id);
      const kepts = others.slice(0, MAX_KEPT - 1);
      if (kepts.length < others.length) await forget(others.slice(MAX_KEPT - 1).map((each) => each.id));
      for (;;) {
        try {
          await set(id, kept, store);
          break;
        } catch (error) {
          const oldest = kepts.pop();
          if (!oldest) throw error;
          await forget([oldest.id]);
        }
      }
      await update<readonly Spine[]>(INDEX, (index = []) => [{ id, title, at }, ...index.filter((each) => each.id !== id)], store);
    },
    remove: (id) => forget([id]),
  };
}

/** The next one waits for it. */
const PUT_PATIENCE_MS = 20_000;
/** What the server takes of one conversation. */
const MAX_BYTES = 500_000;

/** With the account that is signed in. */
export function accountShelf(server: Server): Shelf {
  const ifThere = (error: unknown): null => {
    if (problemBehind(error).status === 404) return null;
    throw error;
  };
  return {
    list: async () => {
      const { conversations } = fieldsOf(await server.conversations());
      return listOf(conversations).flatMap((each) => spineOf(each) ?? []);
    },
    take: async (id) => {
      const found = await server.conversation(id).catch(ifThere);
      if (!found) return null;
      const document = fieldsOf(found);
      const spine = spineOf(document);
      const { exchanges, lost, map } = fieldsOf(JSON.parse(textOf(document["content"])));
      if (!spine || !Array.isArray(exchanges) || typeof map !== "object" || map === null) return null;
      return { ...spine, exchanges: exchanges as Exchange[], lost: typeof lost === "number" ? lost : 0, map: map as Snapshot };
    },
    put: async (kept) => {
      const { id, title, at: time, ...content } = fitting(kept, MAX_BYTES);
      await server.keepConversation(
        id,
        { title, at: new Date(time).toISOString(), content: JSON.stringify(content) },
        { signal: AbortSignal.timeout(PUT_PATIENCE_MS) },
      );
    },
    remove: async (id) => void (await server.deleteConversation(id).catch(ifThere)),
  };
}

/** The same without as many of the oldest exchanges as are too much; how many those are is kept. */
export function fitting(kept: Kept, maxBytes: number): Kept {
  const sizes = kept.exchanges.map((exchange) => new Blob([JSON.stringify(exchange)]).size + 1);
  let room = maxBytes - new Blob([JSON.stringify({ ...kept, exchanges: [] })]).size;
  let from = sizes.length;
  while (from > 0 && sizes[from - 1]! <= room) room -= sizes[--from]!;
  return { ...kept, exchanges: kept.exchanges.slice(from), lost: kept.lost + from };
}

function spineOf(value: unknown): Spine | null {
  const { id, title, at } = fieldsOf(value);
  const time = Date.parse(textOf(at));
  return textOf(id) && !Number.isNaN(time) ? { id: textOf(id), title: textOf(title), at: time } : null;
}
