/** What the server says, as far as the page uses it. Everything in it is text for the user, never markup. */

import type { Schemas } from "@ask-sogis/client";
import type { Result } from "./results";

export type { ChatRequest, Problem, Schemas } from "@ask-sogis/client";

export type Status = Schemas["Status"];

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
  isSample?: boolean;
}

export interface Proposal {
  identifier: string;
  name: string;
  subject: string;
  url: string | null;
  date?: string;
  isSample?: boolean;
}

/** Where in a document something stands. */
export interface Place {
  section?: string;
  page?: number;
  url: string | null;
}

export interface Source {
  n: number;
  name: string;
  url: string | null;
  sizeBytes?: number;
  date?: string;
  places?: readonly Place[];
  isSample?: boolean;
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
