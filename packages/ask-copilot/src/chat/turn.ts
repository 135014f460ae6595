/** The state of one exchange, from what was asked to the answer; changed by news only. Pure. */

import { fieldsOf, listOf, textOf, type Fields, type News } from "@ask-sogis/client";
import { readAction, type FeatureTable, type MapContext, type MapResult } from "@ask-sogis/map-actions";
import type { Answer, Choice, Document, Problem, Proposal, Research, Status } from "./contract";
import { readExtract, type Extract } from "./extract";
import type { Feedback } from "./feedback";
import { readAnswer, readDocument, readProposal } from "./reading";
import type { Result } from "./results";

export type Asked = { kind: "message"; text: string } | { kind: "choice"; choiceId: string; label: string };

/** The result of a map action that failed, and the label of its layer or marker. */
type Failure = MapResult & { label?: string };

export interface StepView {
  index: number;
  intent: string;
  phase: "waiting" | "working" | "choosing" | "done";
  status: Status | null;
  /** What has been written so far, or the final text. */
  message: string;
  /** The message is still being written. */
  isDraft: boolean;
  /** It was being written when the user stopped it. */
  isCut: boolean;
  /** The server had to end it before its end. */
  isUnfinished: boolean;
  /** The tool at work. */
  capability: string | null;
  choices: readonly Choice[];
  /** When the choices are no longer taken, in ms since 1970. */
  expiresAt: number | null;
  chosen: string | null;
  checked: { done: number; total: number } | null;
  research: Research | null;
  /** What its answer is about, each with a card. */
  results: readonly Result[];
  /** Sentences that can be sent as they are. */
  suggestions: readonly string[];
  extracts: readonly Extract[];
  /** What it has found, for a table. */
  tables: readonly FeatureTable[];
  /** What could not be done on the map. */
  failures: readonly Failure[];
  /** Ids of the layers that it has put on the map. */
  layers: readonly string[];
}

type Progress = "sending" | "planning" | "working" | "interrupted";

export interface Exchange {
  /** Of this page. */
  key: string;
  asked: Asked;
  idempotencyKey: string;
  requestId: string | null;
  after: string | null;
  state: "running" | "finished" | "cancelled" | "failed";
  progress: Progress;
  /** Tries in vain since the server was last heard. */
  attempts: number;
  /** The user wants no more of it. */
  isStopping: boolean;
  steps: readonly StepView[];
  /** Why it failed, or for the time being does not go on. */
  problem: Problem | null;
  /** The results of actions that were sent along. */
  mapResults: readonly MapResult[];
  /** The map when it was asked. */
  map: MapContext | null;
  /** In which it is answered. */
  language: string;
  /** What is still to be done on the map, or is just being done. */
  pending: readonly Applicable[];
  /** What its user thinks of the answer, as the server has it. */
  feedback: Feedback | null;
}

/** What is told along with a question, about the map and its user. */
export type Told = Pick<Exchange, "mapResults" | "map" | "language">;

/** Map actions that it is now the turn of. */
export interface Applicable {
  step: number;
  mapActions: readonly unknown[];
}

export function begin(asked: Asked, key: string, told: Told, after: string | null = null): Exchange {
  const nothing = { requestId: null, after, attempts: 0, isStopping: false, steps: [], problem: null, pending: [], feedback: null };
  return { key, asked, idempotencyKey: key, state: "running", progress: "sending", ...nothing, ...told };
}

export function take(exchange: Exchange, news: News): Exchange {
  switch (news.kind) {
    case "accepted":
      return { ...heard(exchange), requestId: news.requestId, progress: exchange.steps.length > 0 ? "working" : "planning" };
    case "interrupted":
      return { ...exchange, progress: "interrupted", attempts: news.attempts, problem: news.problem };
    case "complete":
      return { ...settled(exchange), state: exchange.state === "running" ? "finished" : exchange.state };
    case "problem":
      return { ...settled(exchange), state: "failed", problem: news.problem };
    case "event": {
      const requestId = textOf(news.data["requestId"]) || exchange.requestId;
      const pending = [...exchange.pending, ...applicable(news.data)];
      return event({ ...heard(exchange), requestId, after: news.id || exchange.after, pending }, news.event, news.data);
    }
  }
}

/** The exchange without what kept it waiting. */
function heard(exchange: Exchange): Exchange {
  const progress = exchange.progress === "interrupted" ? "working" : exchange.progress;
  return { ...exchange, progress, attempts: 0, problem: null };
}

/** The exchange as its user has left it, without a word from the server. */
export function stopped(exchange: Exchange): Exchange {
  const steps = exchange.steps.map((step) => (isBeingWritten(step) ? cut(step) : step));
  return { ...settled({ ...exchange, steps }), state: "cancelled" };
}

/** The exchange with choices that can no longer be made. */
export function expired(exchange: Exchange): Exchange {
  return { ...exchange, steps: exchange.steps.map((step) => (step.phase === "choosing" ? { ...step, expiresAt: 0 } : step)) };
}

/** What an event wants done on the map, in the order of the plan. */
export function applicable(data: Fields): readonly Applicable[] {
  const read = listOf(data["apply"]).map((each) => {
    const { step, mapActions } = fieldsOf(each);
    return { step: typeof step === "number" ? step : -1, mapActions: listOf(mapActions) };
  });
  return read.filter(({ mapActions }) => mapActions.length > 0);
}

/** The exchange with what became of its pending map actions, in their order. */
export function acknowledge(before: Exchange, done: Applicable, results: readonly MapResult[]): Exchange {
  const { step, mapActions: actions } = done;
  const exchange = { ...before, pending: before.pending.filter((each) => each !== done) };
  const failures = results.flatMap((result, n) => (result.status === "failed" ? [{ ...result, ...labelOf(actions[n]) }] : []));
  const added = results.filter(({ type, status }) => type === "addLayer" && status === "applied").flatMap(({ id }) => id ?? []);
  if (failures.length === 0 && added.length === 0) return exchange;
  return withStep(exchange, step, (each) => ({
    ...each,
    failures: [...each.failures, ...failures],
    layers: [...new Set([...each.layers, ...added])],
  }));
}

function labelOf(action: unknown): { label?: string } {
  const label = textOf(fieldsOf(fieldsOf(action)["payload"])["label"]);
  return label ? { label } : {};
}

/** The exchange with one of its choices made. */
export function chosen(exchange: Exchange, choiceId: string): Exchange {
  const has = (step: StepView) => step.choices.some((choice) => choice.id === choiceId);
  if (!exchange.steps.some(has)) return exchange;
  const steps = exchange.steps.map((step) => (has(step) ? { ...step, chosen: choiceId, phase: "done" as const } : step));
  return { ...exchange, steps };
}

/** Whether a choice can still be made. */
export function isOpen(step: StepView, now: number): boolean {
  return step.phase === "choosing" && step.chosen === null && (step.expiresAt === null || now < step.expiresAt);
}

function event(exchange: Exchange, name: string, data: Fields): Exchange {
  const detail = fieldsOf(data["detail"]);
  const index = typeof data["step"] === "number" ? data["step"] : null;
  const on = (change: (step: StepView) => StepView) => (index === null ? exchange : withStep(exchange, index, change));
  const carded = applicable(data).reduce(addCards, exchange);
  switch (name) {
    case "turn.started":
      return { ...exchange, progress: "planning" };
    case "plan.ready":
      return { ...exchange, progress: "working", steps: planned(detail) };
    case "step.started":
      return working(on((step) => ({ ...step, intent: textOf(detail["intent"]) || step.intent, phase: "working" })));
    case "tool.called":
      return on((step) => ({ ...step, phase: "working", capability: textOf(detail["capability"]) }));
    case "documents.found":
      return on((step) => found(step, detail));
    case "document.checked":
      return on((step) => checked(step, detail));
    case "answer.delta":
      return on((step) => {
        const before = step.isDraft && data["restart"] !== true ? step.message : "";
        return { ...step, phase: "working", isDraft: true, message: before + textOf(data["text"]) };
      });
    case "step.finished":
    case "choice.pending":
      return withStep(carded, index ?? 0, (step) => ended(exchange, step, readAnswer(data["answer"]), expiryOf(detail)));
    case "choice.made":
      return { ...exchange, progress: "working" };
    case "turn.finished":
      return finished(carded, data, detail);
    default:
      return exchange;
  }
}

function working(exchange: Exchange): Exchange {
  return { ...exchange, progress: "working" };
}

function planned(detail: Fields): readonly StepView[] {
  return listOf(detail["steps"]).map((step, index) => ({ ...emptyStep(index), intent: textOf(fieldsOf(step)["intent"]) }));
}

function found(step: StepView, detail: Fields): StepView {
  const documents: readonly Document[] = listOf(detail["documents"]).map(readDocument);
  const proposals: readonly Proposal[] = listOf(detail["proposals"]).map(readProposal);
  return {
    ...step,
    checked: { done: 0, total: documents.length },
    research: { documents, proposals, sources: [], suggestions: [] },
  };
}

function checked(step: StepView, { id, isRelevant, reason, checked, total }: Fields): StepView {
  const judged = { isChecked: true, isRelevant: isRelevant === true, relevanceReason: textOf(reason) };
  const documents = (step.research?.documents ?? []).map((each) => (each.id === id ? { ...each, ...judged } : each));
  const done = typeof checked === "number" ? checked : (step.checked?.done ?? 0) + 1;
  const all = typeof total === "number" ? total : documents.length;
  return { ...step, checked: { done, total: all }, research: step.research && { ...step.research, documents } };
}

/** What a step has come to; what was being written when its user stopped it stays. */
function ended({ isStopping }: Exchange, step: StepView, answer: Answer, expiresAt: number | null): StepView {
  const isLeft = isStopping && answer.status === "error" && isBeingWritten(step);
  return step.isCut || isLeft ? cut(step) : answered(step, answer, expiresAt);
}

function isBeingWritten({ isDraft, message }: StepView): boolean {
  return isDraft && message !== "";
}

function cut(step: StepView): StepView {
  return { ...step, phase: "done", status: "error", isDraft: false, isCut: true };
}

function answered(step: StepView, answer: Answer, expiresAt: number | null): StepView {
  return {
    ...step,
    ...answer,
    intent: answer.intent || step.intent,
    research: answer.research ?? step.research,
    phase: answer.status === "needs_user_choice" ? "choosing" : "done",
    isDraft: false,
    expiresAt: expiresAt ?? step.expiresAt,
  };
}

function finished(exchange: Exchange, data: Fields, detail: Fields): Exchange {
  if (detail["forwardedTo"] !== undefined) return { ...exchange, steps: [] };
  const answers = listOf(fieldsOf(data["response"])["steps"]).map(readAnswer);
  const steps =
    exchange.steps.length === answers.length || exchange.steps.length === 0
      ? answers.map((answer, n) => ended(exchange, exchange.steps[n] ?? emptyStep(n), answer, null))
      : exchange.steps;
  const cancelled = detail["cancelled"] !== undefined && detail["cancelled"] !== false;
  return { ...settled({ ...exchange, steps }), state: cancelled ? "cancelled" : "finished" };
}

/** Nothing is being worked on any more. */
function settled(exchange: Exchange): Exchange {
  const steps = exchange.steps.filter((step) => step.phase !== "waiting" || step.message !== "");
  const still = (step: StepView): StepView => (step.phase === "working" ? { ...step, phase: "done", isDraft: false } : step);
  return { ...exchange, steps: steps.map(still) };
}

/** What is shown with the step that brings it. */
function addCards(exchange: Exchange, { step, mapActions }: Applicable): Exchange {
  const extracts = mapActions.map(readExtract).filter((each) => each !== null);
  const tables = mapActions.map(tableOf).filter((each) => each !== null);
  if (extracts.length + tables.length === 0) return exchange;
  return withStep(exchange, step, (before) => ({
    ...before,
    extracts: extracts.length > 0 ? extracts : before.extracts,
    tables: tables.length > 0 ? tables : before.tables,
  }));
}

function tableOf(value: unknown): FeatureTable | null {
  try {
    const action = readAction(value);
    return action.type === "addFeatures" ? action.payload : null;
  } catch {
    // The map refuses it too, and says so.
    return null;
  }
}

function withStep(exchange: Exchange, index: number, change: (step: StepView) => StepView): Exchange {
  const known = exchange.steps.some((step) => step.index === index);
  const steps = known ? exchange.steps : [...exchange.steps, emptyStep(index)].sort((a, b) => a.index - b.index);
  return { ...exchange, steps: steps.map((step) => (step.index === index ? change(step) : step)) };
}

function expiryOf(detail: Fields): number | null {
  const at = Date.parse(textOf(detail["expiresAt"]));
  return Number.isNaN(at) ? null : at;
}

function emptyStep(index: number): StepView {
  return {
    index,
    intent: "",
    phase: "waiting",
    status: null,
    message: "",
    isDraft: false,
    isCut: false,
    isUnfinished: false,
    capability: null,
    choices: [],
    expiresAt: null,
    chosen: null,
    checked: null,
    research: null,
    results: [],
    suggestions: [],
    extracts: [],
    tables: [],
    failures: [],
    layers: [],
  };
}
