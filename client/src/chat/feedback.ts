/** What the user thinks of an answer: kept here with the exchange, on the server with the turn. */

import type { Problem, Schemas } from "./contract";
import { problemOf } from "./stream";

export const REASONS = [
  "wrong_place",
  "wrong_layer",
  "misunderstood",
  "incomplete",
  "not_true",
  "too_slow",
  "other",
] as const satisfies readonly Schemas["Reason"][];
export const MAX_COMMENT_CHARS = 1_000;

export type Reason = (typeof REASONS)[number];

export interface Feedback {
  verdict: "up" | "down";
  reason: Reason | null;
  comment: string;
}

/** Null takes back what was said. The problem, if there is one. */
export async function sendFeedback(
  fetch: typeof globalThis.fetch,
  sessionId: string,
  requestId: string,
  feedback: Feedback | null,
): Promise<Problem | null> {
  const { verdict = null, reason = null, comment = "" } = feedback ?? {};
  const body = JSON.stringify({ sessionId, requestId, verdict, ...(reason && { reason }), ...(comment && { comment }) });
  try {
    const response = await fetch("api/feedback", { method: "POST", headers: { "Content-Type": "application/json" }, body });
    return response.ok ? null : await problemOf(response);
  } catch {
    return { code: "unreachable", detail: "" };
  }
}
