/** What outlives a reload: in this tab the conversation and the map, in this browser the preferences. */

import type { Exchange } from "@ask-sogis/copilot/chat/turn";
import type { MapResult } from "@ask-sogis/map-actions";
import type { Snapshot } from "@ask-sogis/copilot/map/model.svelte";

interface Saved {
  sessionId: string;
  /** The latest; all of them are with the earlier conversations. */
  exchanges: readonly Exchange[];
  /** Of how many they are the latest. */
  count?: number;
  /** What became of map actions, and has not been told yet. */
  unsent: readonly MapResult[];
  /** The message that is being typed. */
  draft: string;
  map: Snapshot;
  /** Whom the server has taken the browser for. */
  who?: string | null;
}

export interface Preferences {
  language: string | null;
  theme: "auto" | "light" | "dark";
}

/** Raised when the form of what is saved changes: what has another form is forgotten. */
const TAB = "ask.sogis/3";
const BROWSER = "ask.sogis/preferences";

/** This is written at once and often: it need not be much. */
const LATEST = 20;

export function save(saved: Saved): void {
  // A full or forbidden storage costs the memory, nothing else.
  for (const most of [LATEST, 8, 1]) {
    if (write(sessionStorage, TAB, { ...saved, exchanges: saved.exchanges.slice(-most) })) return;
  }
  write(sessionStorage, TAB, { ...saved, exchanges: [] });
}

export function restore(): Saved | null {
  const saved = read(() => sessionStorage, TAB) as Saved | null;
  const isWhole = saved && typeof saved.sessionId === "string" && Array.isArray(saved.exchanges) && saved.map;
  return isWhole ? saved : null;
}

export function savePreferences(preferences: Preferences): void {
  write(localStorage, BROWSER, preferences);
}

export function restorePreferences(): Preferences {
  const saved = (read(() => localStorage, BROWSER) ?? {}) as Partial<Preferences>;
  const theme = saved.theme === "light" || saved.theme === "dark" ? saved.theme : "auto";
  return { language: typeof saved.language === "string" ? saved.language : null, theme };
}

function write(storage: Storage, key: string, value: unknown): boolean {
  try {
    storage.setItem(key, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}

function read(storage: () => Storage, key: string): unknown {
  try {
    return JSON.parse(storage().getItem(key) ?? "null");
  } catch {
    return null;
  }
}
