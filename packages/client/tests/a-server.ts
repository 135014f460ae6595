/** A server that answers as told, one after the other, and how it was asked. */

import { Client, type Settings } from "../src/index.js";

type Reply = Response | Error | ((init: RequestInit) => Promise<Response>);

interface Call {
  method: string;
  url: string;
  headers: Headers;
  body: unknown;
  init: RequestInit;
}

export const ID = "req-1";
export const ANSWER = {
  requestId: ID,
  overallStatus: "ok",
  steps: [{ intent: "goto_address", status: "ok", message: "Da.", choices: [] }],
};

export function problem(status: number, code: string, more: object = {}, headers: Record<string, string> = {}): Response {
  return Response.json({ type: `urn:ask-sogis:problem:${code}`, title: "…", status, code, detail: "Darum.", ...more }, { status, headers });
}

export function frame(id: number, event: string, data: object = {}): string {
  return `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify({ requestId: ID, ...data })}\n\n`;
}

export function stream(...frames: string[]): Response {
  return new Response(frames.join(""), { headers: { "Ask-Request-Id": ID, "Content-Type": "text/event-stream" } });
}

/** After the last reply nobody answers any more. */
export function server(replies: Reply[], settings: Settings = {}) {
  const calls: Call[] = [];
  const pauses: number[] = [];
  const fetch = async (url: unknown, init: RequestInit = {}): Promise<Response> => {
    const body: unknown = typeof init.body === "string" ? JSON.parse(init.body) : null;
    calls.push({ method: init.method ?? "GET", url: String(url), headers: new Headers(init.headers), body, init });
    const reply = replies.shift() ?? new TypeError("Failed to fetch");
    if (reply instanceof Error) throw reply;
    return typeof reply === "function" ? reply(init) : reply;
  };
  const pause = async (ms: number): Promise<void> => void pauses.push(ms);
  const client = new Client({ fetch: fetch as typeof globalThis.fetch, pause, sessionId: "s", ...settings });
  return { client, calls, pauses };
}
