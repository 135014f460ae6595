/** What the server can be asked, each in one method, and how it is asked. */

import type { ChatResponse, Identified, Layer, Me, Schemas, Share, SharedMap, Suggestions, ToolList, TurnProgress } from "./contract.js";
import { follow, type News, type Opening } from "./follow.js";
import { newId } from "./new-id.js";
import { patiently, wait, type Pause } from "./patience.js";
import { errorOf, problemOf, Refused, Unreachable } from "./problems.js";

export interface Settings {
  /** Where the server is: `https://ask.example.org`. A page of the server itself needs none. */
  endpoint?: string;
  /** An API key, an anonymous token, or one of the provider. */
  token?: string;
  /** In which answers are wanted; a function where it changes. */
  language?: string | (() => string);
  /** Of the conversation; a new one where there is none. */
  sessionId?: string;
  /** How long a request may wait in all before it is tried again; with 0 it never is. */
  patienceMs?: number;
  fetch?: typeof globalThis.fetch;
  pause?: Pause;
}

/** How to want an answer no more. */
export interface Leaving {
  signal?: AbortSignal | undefined;
}

interface Sent extends Leaving {
  body?: object;
  idempotencyKey?: string;
  keepalive?: boolean;
  cache?: "no-store";
}

const PATIENCE_MS = 30_000;

/** All methods throw `Refused`, `Unreachable`, the reason of their signal, or a `TypeError` for what can never be asked. */
export class Server {
  readonly sessionId: string;
  protected readonly pause: Pause;
  protected readonly patienceMs: number;
  readonly #settings: Settings;

  constructor(settings: Settings = {}) {
    this.#settings = settings;
    this.pause = settings.pause ?? wait;
    this.patienceMs = settings.patienceMs ?? PATIENCE_MS;
    this.sessionId = settings.sessionId ?? newId();
  }

  /** A turn as it goes: lost connections and problems are told like its events. Nothing of it is thrown, and nothing trusted.
   * Without a patience of its own it tries ten times in vain. */
  follow(opening: Opening, signal: AbortSignal, patienceMs?: number): AsyncGenerator<News> {
    void this.#request("api/chat");
    const fetch: typeof globalThis.fetch = (path, init) => this.#request(String(path), init)();
    return follow(opening, { fetch, pause: this.pause, signal, patienceMs });
  }

  /** The latest answer of a turn; as long as it runs, how far it has come (`state`). */
  turn(requestId: string, leaving: Leaving = {}): Promise<ChatResponse | TurnProgress> {
    return this.#ask("GET", at("chat", requestId), leaving);
  }

  /** Ends a turn, with what is done. */
  cancel(requestId: string): Promise<void> {
    return this.#ask("DELETE", at("chat", requestId));
  }

  /** Deletes all that the server keeps of a session, also from a page that is being left. */
  deleteSession(sessionId = this.sessionId): Promise<void> {
    return this.#ask("DELETE", "api/chat", { body: { sessionId }, keepalive: true });
  }

  /** The tools that are alive, and sentences to try. */
  tools(leaving: Leaving = {}): Promise<ToolList> {
    return this.#ask("GET", "api/tools", leaving);
  }

  /** What is at a point of the map (LV95). */
  identify(point: Schemas["IdentifyRequest"], { signal }: Leaving = {}): Promise<Identified> {
    return this.#ask("POST", "api/identify", { body: point, signal });
  }

  /** A layer of the catalogue. */
  layer(id: string, leaving: Leaving = {}): Promise<Layer> {
    return this.#ask("GET", at("layers", id), leaving);
  }

  /** Names that the end of an unfinished message may become. */
  suggest(q: string, { limit, signal }: Leaving & { limit?: number } = {}): Promise<Suggestions> {
    const parameters = new URLSearchParams({ q, ...(limit && { limit: `${limit}` }) });
    return this.#ask("GET", `api/suggest?${parameters}`, { signal });
  }

  /** What a turn was worth; null takes back what was said. */
  feedback(requestId: string, verdict: "up" | "down" | null, told: Partial<Schemas["FeedbackRequest"]> = {}): Promise<void> {
    return this.#ask("POST", "api/feedback", { body: { sessionId: this.sessionId, requestId, verdict, ...told } });
  }

  /** Puts a map behind a short link. */
  share(map: SharedMap, { signal }: Leaving = {}): Promise<Share> {
    return this.#ask("POST", "api/shares", { body: map, signal });
  }

  shared(id: string, leaving: Leaving = {}): Promise<SharedMap> {
    return this.#ask("GET", at("shares", id), leaving);
  }

  /** Whom the server takes this client for. */
  me({ signal }: Leaving = {}): Promise<Me> {
    return this.#ask("GET", "api/me", { signal, cache: "no-store" });
  }

  /** Ends a sign-in, at the path that `me` tells. */
  async signOut(path: string): Promise<{ location: string | null }> {
    // Elsewhere the token would be given away; browsers read `/\` and a tab behind the slash as `//`, too.
    if (!/^\/(?![/\\\s])/.test(path)) throw new TypeError(`No path of the server: ${path}`);
    return this.#ask("POST", path, { body: {} });
  }

  /** What an account keeps. */
  conversations(leaving: Leaving = {}): Promise<Schemas["ConversationList"]> {
    return this.#ask("GET", "api/conversations", leaving);
  }

  conversation(id: string, leaving: Leaving = {}): Promise<Schemas["Conversation"]> {
    return this.#ask("GET", at("conversations", id), leaving);
  }

  keepConversation(id: string, body: Schemas["ConversationPut"], { signal }: Leaving = {}): Promise<void> {
    return this.#ask("PUT", at("conversations", id), { body, signal });
  }

  deleteConversation(id: string): Promise<void> {
    return this.#ask("DELETE", at("conversations", id));
  }

  /** Tries again what fails for the moment. */
  protected patiently<T>(once: () => Promise<T>, { signal }: Leaving): Promise<T> {
    return patiently(once, this.patienceMs, this.pause, signal);
  }

  protected async once<T>(method: string, path: string, { body, idempotencyKey, signal, ...how }: Sent): Promise<T> {
    const headers = { ...(body && { "Content-Type": "application/json" }), ...(idempotencyKey && { "Idempotency-Key": idempotencyKey }) };
    const send = this.#request(path, { method, headers, body: body ? JSON.stringify(body) : null, signal: signal ?? null, ...how });
    try {
      const response = await send();
      if (!response.ok) throw errorOf(await problemOf(response));
      const text = await response.text();
      return (text ? JSON.parse(text) : undefined) as T;
    } catch (error) {
      signal?.throwIfAborted();
      // What is no JSON comes from somebody else than the server.
      throw error instanceof Refused || error instanceof Unreachable ? error : new Unreachable(error);
    }
  }

  #ask<T>(method: string, path: string, sent: Sent = {}): Promise<T> {
    return this.patiently(() => this.once<T>(method, path, sent), sent);
  }

  /** A request to this server, for whom the settings name. What can never be sent throws here, and not when it is. */
  #request(path: string, init?: RequestInit): () => Promise<Response> {
    const { endpoint, token, language, fetch = globalThis.fetch } = this.#settings;
    const headers = new Headers(init?.headers);
    if (token) headers.set("Authorization", `Bearer ${token}`);
    if (language) headers.set("Accept-Language", typeof language === "function" ? language() : language);
    const address = endpoint ? `${endpoint.replace(/\/*$/, "/")}${path.replace(/^\//, "")}` : path;
    // Another fetch may know where a path is.
    if (endpoint || !this.#settings.fetch) void new URL(address, globalThis.document?.baseURI ?? globalThis.location?.href);
    return () => fetch(address, { ...init, headers });
  }
}

function at(what: string, id: string): string {
  return `api/${what}/${encodeURIComponent(id)}`;
}
