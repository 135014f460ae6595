/** What the server says, as far as the page uses it. Everything in it is text for the user, never markup. */

import type { MapContext } from "../map/context";
import type { Result } from "./results";

export type Status = "ok" | "needs_user_choice" | "needs_clarification" | "error";

export interface Choice {
  id: string;
  label: string;
  /** 0 to 1 */
  confidence: number | null;
  mapActions: readonly unknown[];
}

export interface Document {
  id: string;
  name: string;
  url: string | null;
  sizeBytes?: number;
  date?: string;
  kind?: string;
  body?: string;
  isChecked: boolean;
  isRelevant: boolean;
  relevanceReason: string;
}

export interface Proposal {
  identifier: string;
  name: string;
  subject: string;
  url: string | null;
  date?: string;
}

export interface Source {
  n: number;
  name: string;
  url: string | null;
  sizeBytes?: number;
  date?: string;
}

export interface Research {
  documents: readonly Document[];
  proposals: readonly Proposal[];
  sources: readonly Source[];
  /** Questions to try instead, when there is no answer. */
  suggestions: readonly string[];
}

/** A step of an answer. */
export interface Answer {
  intent: string;
  status: Status;
  message: string;
  choices: readonly Choice[];
  research: Research | null;
  /** It ends before its end. */
  isUnfinished: boolean;
  /** What it is about, each with a card. */
  results: readonly Result[];
  /** Sentences that can be sent as they are. */
  suggestions: readonly string[];
}

/** Why a request failed (RFC 9457). */
export interface Problem {
  code: string;
  detail: string;
  requestId?: string;
}

export interface ChatRequest {
  sessionId: string;
  userMessage?: string;
  choiceId?: string;
  mapResults?: readonly unknown[];
  map?: MapContext;
}
