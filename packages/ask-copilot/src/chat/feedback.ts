/** What the user thinks of an answer: kept here with the exchange, on the server with the turn. */

import { problemBehind, type Server } from "@ask-sogis/client";
import type { Problem, Schemas } from "./contract";

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
  server: Server,
  sessionId: string,
  requestId: string,
  feedback: Feedback | null,
): Promise<Problem | null> {
  const { verdict = null, reason = null, comment = "" } = feedback ?? {};
  try {
    await server.feedback(requestId, verdict, { sessionId, ...(reason && { reason }), ...(comment && { comment }) });
    return null;
  } catch (error) {
    return problemBehind(error);
  }
}
