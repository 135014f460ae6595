/** What a screen reader is told of an exchange: what is to be seen of it, each thing once. Pure. */

import { needsSignIn } from "@ask-sogis/client";
import type { Key, Texts } from "../texts/texts.svelte";
import type { Exchange, StepView } from "./turn";

type Words = Pick<Texts, "t" | "has">;

export interface Phrase {
  /** In the language of the page. */
  own?: string;
  /** In the language of the server. */
  served?: string;
}

const MAX_SERVED_CHARS = 300;
/** How often the checks of documents are told, of many: each would drown all else. */
const PARTS_OF_CHECKS = 4;

/** What is new since `before`. */
export function newsOf(before: Exchange | null, after: Exchange, words: Words): readonly Phrase[] {
  const told = before ? phrasesOf(before, words) : new Map<string, Phrase>();
  return [...phrasesOf(after, words)].filter(([kind]) => !told.has(kind)).map(([, phrase]) => phrase);
}

/** What a step is at work on. */
export function workOf(step: StepView, { t, has }: Words): string {
  const key = workKey(step);
  return t(has(key) ? key : "status.working", { ...step.checked });
}

/** How a step stands, as in the keys `step.…` of the texts. */
export function standingOf({ phase, status, failures, isUnfinished }: StepView): Standing {
  if (phase === "waiting" || phase === "working") return phase;
  const standing = status ?? "ok";
  return standing === "ok" && (failures.length > 0 || isUnfinished) ? "incomplete" : standing;
}

/** Whether it has put layers on the map: who sees their pictures come says that they are there. */
export function isLoadingStep(step: StepView): boolean {
  return step.intent === "load_layer" && step.phase === "done" && standingOf(step) === "ok";
}

/** Their sentences say nothing but what has been done on the map. */
const ON_THE_MAP = new Set(["load_layer", "set_background"]);

/** Whether nothing of it could be done on the map: its sentence is not so. */
export function isRefused({ intent, failures, layers }: StepView): boolean {
  return ON_THE_MAP.has(intent) && failures.length > 0 && layers.length === 0;
}

export type Standing = Key extends infer K ? (K extends `step.${infer S}` ? S : never) : never;

/** Why something was not done on the map. */
export function failureOf({ reason = "map_unavailable", type, id, label }: StepView["failures"][number], { t }: Words): string {
  const what = t(`map.failed.${reason}`, { type });
  const name = label ?? id;
  return name ? t("map.failedFor", { name, what }) : t("map.failed", { what });
}

/** What is to be seen, by its kind: what is of the same kind is not told again. */
function phrasesOf(exchange: Exchange, words: Words): Map<string, Phrase> {
  const { state, progress, problem, steps } = exchange;
  const { t } = words;
  const phrases = new Map<string, Phrase>();
  for (const step of steps) {
    const { index, phase, message, choices } = step;
    if (phase === "working" && state === "running") {
      phrases.set(`work ${index} ${workKey(step)} ${partOfChecks(step)}`, { own: workOf(step, words) });
    }
    if ((phase === "done" || phase === "choosing") && step.status) {
      const own = step.isCut ? {} : { own: `${t(`step.${standingOf(step)}`)}:` };
      if (isRefused(step)) phrases.set(`done ${index}`, own);
      else if (isLoadingStep(step)) phrases.set(`loading ${index}`, { own: t("layers.arriving") });
      else phrases.set(`done ${index}`, { ...own, served: message.slice(0, MAX_SERVED_CHARS) });
    }
    if (phase === "choosing") phrases.set(`choices ${index}`, { own: t("choices.announced", { count: choices.length }) });
    step.failures.forEach((failure, n) => phrases.set(`failure ${index} ${n}`, { own: failureOf(failure, words) }));
  }
  // After the last result nothing is said any more.
  const speaksForItself = steps.some(({ phase }) => phase === "working") || (steps.length > 0 && steps.every(isOver));
  if (state === "running" && (progress === "interrupted" || !speaksForItself)) {
    phrases.set(progress, problem?.detail ? { served: problem.detail } : { own: t(`status.${progress}`) });
  }
  if (state === "cancelled") phrases.set(state, { own: t("status.cancelled") });
  if (state === "failed") phrases.set(state, explained(exchange) ? { served: explained(exchange) } : { own: t(failedKey(exchange)) });
  return phrases;
}

function isOver({ phase }: StepView): boolean {
  return phase === "done" || phase === "choosing";
}

/** What the server says about a problem, unless the page has to say more. */
export function explained({ problem }: Exchange): string {
  return problem && !needsSignIn(problem) ? problem.detail : "";
}

/** The text for an exchange that has failed without the server saying why. */
export function failedKey({ problem }: Exchange): Key {
  if (needsSignIn(problem)) return "status.signedOut";
  return problem?.code === "unreachable" ? "status.unreachable" : "status.failed";
}

function workKey({ intent, checked, isDraft }: StepView): string {
  if (isDraft || (checked && checked.done >= checked.total)) return "work.answering";
  return checked ? "work.checking" : `work.${intent}`;
}

function partOfChecks({ checked }: StepView): number {
  return checked && checked.total > 0 ? Math.floor((checked.done * PARTS_OF_CHECKS) / checked.total) : 0;
}
