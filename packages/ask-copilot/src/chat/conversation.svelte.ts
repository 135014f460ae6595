/** The conversation: asks, follows the answers, hands their map actions to the bus. */

import { fieldsOf, goesOn, textOf, Unreachable, type Server } from "@ask-sogis/client";
import type { ActionBus, MapContext, MapResult } from "@ask-sogis/map-actions";
import { pointsOf } from "../map/previews";
import type { ChatRequest, Choice, Problem } from "./contract";
import { sendFeedback, type Feedback } from "./feedback";
import { acknowledge, begin, chosen, expired, stopped, take, type Applicable, type Asked, type Exchange, type StepView } from "./turn";

export const MAX_MESSAGE_CHARS = 4_000;
const MAX_RESULTS = 50;
/** How long a stopped turn may take to say so itself. */
const STOP_GRACE_MS = 4_000;

interface Neighbours {
  sessionId(): string;
  /** In which the page is read, and answers are wanted. */
  language(): string;
  /** Where the map is and what it shows; null as long as it is not there. */
  map(): MapContext | null;
  /** Ids of layers whose pictures do not come. */
  silent(): readonly string[];
  bus: Pick<ActionBus, "apply">;
  server: Server;
  newKey(): string;
  /** Called whenever an exchange has news; `before` is null when it is new. */
  heard?(before: Exchange | null, after: Exchange): void;
}

export class Conversation {
  exchanges = $state.raw<readonly Exchange[]>([]);
  /** How many exchanges before these could not be kept. */
  lost = $state(0);
  #results: MapResult[] = [];
  /** The layers that the server knows not to come. */
  #silent: ReadonlySet<string> = new Set();
  #aborts = new Map<string, AbortController>();
  /** Those that were over before this page began, by their keys. */
  #past: ReadonlySet<string> = new Set();

  constructor(private readonly around: Neighbours) {}

  get running(): Exchange | undefined {
    return this.exchanges.find((exchange) => exchange.state === "running");
  }

  ask(text: string): void {
    const message = text.trim().slice(0, MAX_MESSAGE_CHARS);
    if (message && !this.running) this.#begin({ kind: "message", text: message });
  }

  choose(choice: Choice): void {
    if (this.running) return;
    // What was said in its turn before has been heard.
    const turn = this.exchanges.findLast((each) => each.steps.some((step) => step.choices.some(({ id }) => id === choice.id)));
    this.#begin({ kind: "choice", choiceId: choice.id, label: choice.label }, turn?.after ?? null);
  }

  /** Asks the same once more, in place of what has failed or was stopped. */
  retry(key: string): void {
    const exchange = this.#find(key);
    if (!exchange || this.running) return;
    this.exchanges = this.exchanges.filter((each) => each.key !== key);
    const isHeardOn = exchange.requestId && exchange.problem && goesOn(exchange.problem);
    const anew = { state: "running", progress: "interrupted", attempts: 0, isStopping: false, problem: null } as const;
    if (isHeardOn) this.#follow({ ...exchange, ...anew });
    else this.#begin(exchange.asked, exchange.asked.kind === "choice" ? exchange.after : null);
  }

  async stop(): Promise<void> {
    const exchange = this.running;
    if (!exchange) return;
    const end = () => {
      this.#aborts.get(exchange.key)?.abort();
      this.#change(exchange.key, (each) => (each.state === "running" ? stopped(each) : each));
    };
    if (!exchange.requestId) return end();
    this.#change(exchange.key, (each) => ({ ...each, isStopping: true }));
    setTimeout(end, STOP_GRACE_MS);
    await this.around.server.cancel(exchange.requestId).catch((error: unknown) => {
      if (error instanceof Unreachable) end();
    });
  }

  /** Tells what its user thinks of an answer, and keeps it once the server has it. The problem, if there is one. */
  async judge(key: string, feedback: Feedback | null): Promise<Problem | null> {
    const requestId = this.#find(key)?.requestId;
    if (!requestId) return null;
    const problem = await sendFeedback(this.around.server, this.around.sessionId(), requestId, feedback);
    // A choice goes on with the turn that offered it.
    if (!problem) this.exchanges = this.exchanges.map((each) => (each.requestId === requestId ? { ...each, feedback } : each));
    return problem;
  }

  /** Forgets everything here; the server keeps it for whoever has said it. */
  leave(): void {
    for (const abort of this.#aborts.values()) abort.abort();
    this.exchanges = [];
    this.lost = 0;
    this.#results = [];
  }

  /** What became of map actions, and has not been told yet. */
  get unsent(): readonly MapResult[] {
    return this.#results;
  }

  /** Goes on where a page has left off. */
  restore(saved: readonly Exchange[], unsent: readonly MapResult[] = [], lost = 0): void {
    this.#results = [...unsent];
    this.lost = lost;
    const exchanges = saved.map(whole);
    this.exchanges = exchanges.filter((exchange) => exchange.state !== "running");
    this.#past = new Set(this.exchanges.map(({ key }) => key));
    for (const exchange of exchanges) {
      if (exchange.state === "running") this.#follow(exchange);
      this.#apply(exchange.key, exchange.pending);
    }
  }

  /** What was said before all that was restored, which may be among it; fewer exchanges are lost then. */
  precede(saved: readonly Exchange[]): void {
    const isBefore = ({ key, state }: Exchange): boolean => state !== "running" && !this.#past.has(key) && !this.#find(key);
    const before = saved.filter(isBefore).map((each) => ({ ...whole(each), pending: [] }));
    this.#past = new Set([...this.#past, ...before.map(({ key }) => key)]);
    this.exchanges = [...before, ...this.exchanges];
    this.lost = Math.max(0, this.lost - before.length);
  }

  /** Whether all of it was said before this page began. */
  isPast({ key }: Exchange): boolean {
    return this.#past.has(key);
  }

  /** Of another session nothing can be chosen. */
  closeChoices(): void {
    this.exchanges = this.exchanges.map(expired);
  }

  #begin(asked: Asked, after: string | null = null): void {
    const mapResults = [...this.#results.splice(0), ...this.#newlySilent()].slice(-MAX_RESULTS);
    const told = { mapResults, map: this.around.map(), language: this.around.language() };
    const exchange = begin(asked, this.around.newKey(), told, after);
    this.#follow(exchange);
    this.around.heard?.(null, exchange);
  }

  /** What was put on the map and then did not come, each layer once as long as it stays away. */
  #newlySilent(): MapResult[] {
    const silent = this.around.silent();
    const news = silent.filter((id) => !this.#silent.has(id));
    this.#silent = new Set(silent);
    return news.map((id) => ({ type: "addLayer", id, status: "failed", reason: "layer_silent" }));
  }

  #follow(exchange: Exchange): void {
    this.exchanges = [...this.exchanges, exchange];
    void this.#read(exchange);
  }

  async #read(exchange: Exchange): Promise<void> {
    const { key, asked, idempotencyKey, requestId, after, mapResults, map } = exchange;
    const abort = new AbortController();
    this.#aborts.set(key, abort);
    const wanted = asked.kind === "message" ? { userMessage: asked.text, ...(map ? { map } : {}) } : { choiceId: asked.choiceId };
    const request: ChatRequest = {
      sessionId: this.around.sessionId(),
      ...wanted,
      ...(mapResults.length > 0 ? { mapResults } : {}),
    };
    const opening = { request, idempotencyKey, ...(requestId ? { requestId } : {}), ...(after ? { after } : {}) };
    for await (const news of this.around.server.follow(opening, abort.signal)) {
      if (abort.signal.aborted) break;
      const before = this.#find(key);
      this.#change(key, (each) => take(each, news));
      if (news.kind === "event" && news.event === "choice.made") this.#markChosen(textOf(fieldsOf(news.data["detail"])["choiceId"]));
      const heard = this.#find(key);
      this.#apply(key, heard?.pending.filter((each) => !before?.pending.includes(each)) ?? []);
      if (before && heard) this.#showOptions(key, before.steps, heard.steps);
    }
    this.#aborts.delete(key);
    // What nobody has accepted goes along with what is asked next.
    if (this.#find(key)?.requestId === null) this.#results = [...mapResults, ...this.#results].slice(-MAX_RESULTS);
  }

  #find(key: string): Exchange | undefined {
    return this.exchanges.find((each) => each.key === key);
  }

  /** Brings what there is to choose from into view, once. */
  #showOptions(key: string, before: readonly StepView[], after: readonly StepView[]): void {
    for (const { index, phase, choices } of after) {
      const wasThere = before.some((step) => step.index === index && step.phase === "choosing");
      const { view } = pointsOf(phase === "choosing" && !wasThere ? choices : []);
      if (view) void this.around.bus.apply([{ type: "setView", payload: view }], key);
    }
  }

  #apply(key: string, pending: readonly Applicable[]): void {
    for (const each of pending) {
      void this.around.bus.apply(each.mapActions, key).then((results) => {
        this.#results = [...this.#results, ...results].slice(-MAX_RESULTS);
        this.#change(key, (exchange) => acknowledge(exchange, each, results));
      });
    }
  }

  #markChosen(choiceId: string): void {
    this.exchanges = this.exchanges.map((exchange) => chosen(exchange, choiceId));
  }

  #change(key: string, change: (exchange: Exchange) => Exchange): void {
    const before = this.#find(key);
    if (!before) return;
    const after = change(before);
    this.exchanges = this.exchanges.map((exchange) => (exchange === before ? after : exchange));
    this.around.heard?.(before, after);
  }
}

/** Before answers had a language they were German; what was to be done had been forgotten, and nobody judged. */
function whole(saved: Exchange): Exchange {
  return { ...{ language: "de", pending: [], feedback: null }, ...saved };
}
