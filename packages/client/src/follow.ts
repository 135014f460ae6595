/** One turn as a stream of news, carried on over lost connections. */

import { createParser, type EventSourceMessage } from "eventsource-parser";
import type { ChatRequest } from "./contract.js";
import { fieldsOf, parsed, textOf, type Fields } from "./fields.js";
import { newId } from "./new-id.js";
import { backOff, isPassing, type Pause } from "./patience.js";
import { isOfAStop, problemOf, readProblem, UNREACHABLE, type Problem } from "./problems.js";

export interface Opening {
  /** Not needed where a turn that is known is only read. */
  request?: ChatRequest;
  /** Makes sending again safe; one is made up where there is none. */
  idempotencyKey?: string;
  /** Known when this turn was begun before: then it is only read on. */
  requestId?: string;
  /** Id of the last event that has been read. */
  after?: string;
}

export type News =
  | { kind: "accepted"; requestId: string }
  | { kind: "event"; id: string; event: string; data: Fields }
  /** Another try follows; `attempts` were in vain since the server was last heard. With what it said, if it did. */
  | { kind: "interrupted"; attempts: number; problem: Problem | null }
  /** The server has nothing more to say. */
  | { kind: "complete" }
  | { kind: "problem"; problem: Problem };

interface Surroundings {
  fetch: typeof fetch;
  pause: Pause;
  signal: AbortSignal;
  /** How long to wait in all until something is heard. Without it tries are counted, and who looks on sees them. */
  patienceMs?: number | undefined;
}

const MAX_ATTEMPTS = 10;
/** No server may make a page wait longer. */
const MAX_TOLD_PAUSE_MS = 30_000;
/** As often a server may say that it has too much to do; more would not help it. */
const MAX_REFUSALS = 2;
/** The server says something at least every 10 s. */
const SILENCE_MS = 35_000;

export async function* follow(opening: Opening, { fetch, pause, signal, patienceMs }: Surroundings): AsyncGenerator<News> {
  const { idempotencyKey = newId() } = opening;
  const isCounted = patienceMs === undefined;
  let { requestId, after } = opening;
  let isKnown = requestId !== undefined;
  let attempts = 0;
  let last = UNREACHABLE;
  let refusals = 0;
  let told: number | null = null;
  let left = patienceMs ?? Infinity;
  for (;;) {
    if (attempts > 0) {
      const ms = told ?? backOff(attempts);
      if (isCounted ? attempts >= MAX_ATTEMPTS : ms > left) break;
      left -= ms;
      yield { kind: "interrupted", attempts, problem: last.detail ? last : null };
      await pause(ms, signal);
    }
    told = null;
    if (signal.aborted) return;
    attempts++;
    const connection = new Connection(signal);
    try {
      // Before the first event only the request leads to where it belongs: the log of a choice has the rounds before, too.
      const response =
        requestId && (after || isKnown)
          ? await resume(fetch, requestId, after, connection)
          : await open(fetch, { ...opening, idempotencyKey }, connection);
      connection.listen();
      if (response.status === 204) {
        yield { kind: "complete" };
        return;
      }
      if (!response.ok || !response.body) {
        last = await problemOf(response);
        if (response.status === 404 && opening.request && isKnown && !after) {
          // Accepted, but lost before anything was written: sending it again leads to the same turn.
          isKnown = false;
          continue;
        }
        if (isCounted && response.status === 429) refusals += isForLong(last) ? MAX_REFUSALS : 1;
        const isWorthIt = isPassing(response.status) || (!isCounted && last.code === UNREACHABLE.code);
        if (isWorthIt && refusals < MAX_REFUSALS) {
          told = toldPause(last, isCounted ? MAX_TOLD_PAUSE_MS : Infinity);
          continue;
        }
        yield { kind: "problem", problem: last };
        return;
      }
      requestId = response.headers.get("Ask-Request-Id") ?? requestId;
      connection.rest();
      if (requestId) yield { kind: "accepted", requestId };
      for await (const { id = "", event = "message", data } of eventsOf(response.body, connection)) {
        const fields = fieldsOf(parsed(data));
        if (event === "error") {
          last = readProblem(fields);
          if (isOfAStop(last)) break;
          yield { kind: "problem", problem: last };
          return;
        }
        attempts = refusals = 0;
        left = patienceMs ?? Infinity;
        last = UNREACHABLE;
        after = id || after;
        requestId = textOf(fields["requestId"]) || requestId;
        yield { kind: "event", id, event, data: fields };
        // Who only reads wants all rounds, and the server says when there are no more.
        if (opening.request && isEnd(event, fields)) return;
      }
      // An edge that stops ends its streams: another one goes on at once, and that takes no patience.
      if (attempts === 0) [attempts, left] = [1, left + backOff(1)];
    } catch {
      if (signal.aborted) return;
      last = UNREACHABLE;
    } finally {
      connection.end();
    }
  }
  yield { kind: "problem", problem: last };
}

/** Whether a round has its answer. A message that turned out to answer a choice ends its own log, and goes on in that of the choice. */
export function isEnd(event: string, data: Fields): boolean {
  return event === "turn.finished" && !isForwarding(data);
}

export function isForwarding(data: Fields): boolean {
  return fieldsOf(data["detail"])["forwardedTo"] !== undefined;
}

function open(fetch: Surroundings["fetch"], { request, idempotencyKey = "" }: Opening, connection: Connection): Promise<Response> {
  return fetch("api/chat/stream", {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "text/event-stream", "Idempotency-Key": idempotencyKey },
    body: JSON.stringify(request),
    signal: connection.signal,
  });
}

function resume(fetch: Surroundings["fetch"], requestId: string, after: string | undefined, connection: Connection): Promise<Response> {
  return fetch(`api/chat/${encodeURIComponent(requestId)}/stream`, {
    headers: { Accept: "text/event-stream", ...(after ? { "Last-Event-ID": after } : {}) },
    signal: connection.signal,
    cache: "no-store",
  });
}

async function* eventsOf(body: ReadableStream<Uint8Array>, connection: Connection): AsyncGenerator<EventSourceMessage> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  const events: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (event) => events.push(event) });
  try {
    for (;;) {
      connection.listen();
      const { done, value } = await reader.read();
      connection.rest();
      if (done) return;
      parser.feed(value);
      yield* events.splice(0);
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** Whether what is spent comes back only after nobody waits for it any more. */
function isForLong({ retryAfter = 0 }: Problem): boolean {
  return retryAfter * 1_000 > MAX_TOLD_PAUSE_MS;
}

/** How long to wait, when the server says so. */
function toldPause({ retryAfter }: Problem, mostMs: number): number | null {
  return retryAfter === undefined ? null : Math.min(retryAfter * 1_000, mostMs);
}

/** A request that is given up when it falls silent. What its reader does meanwhile is no silence. */
class Connection {
  readonly #own = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly outer: AbortSignal) {
    outer.addEventListener("abort", this.#stop);
    this.listen();
  }

  get signal(): AbortSignal {
    return this.#own.signal;
  }

  listen(): void {
    this.rest();
    this.#timer = setTimeout(this.#stop, SILENCE_MS);
  }

  rest(): void {
    clearTimeout(this.#timer);
  }

  end(): void {
    this.rest();
    this.outer.removeEventListener("abort", this.#stop);
    this.#own.abort();
  }

  readonly #stop = (): void => this.#own.abort();
}
