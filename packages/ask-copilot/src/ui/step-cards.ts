/** The cards of a step. Pure. */

import { withoutExtracts, withoutLists, withoutOrigins } from "../chat/above-table";
import { copyOf } from "../chat/copying";
import type { Extract } from "../chat/extract";
import { keyOf, type Result, type ResultOf } from "../chat/results";
import type { StepView } from "../chat/turn";
import { foundOf, type Found } from "../map/identify";
import { headOf } from "./place-card";
import { cardOf, textOfCard, type Card, type Words } from "./result-card";

interface Shown {
  key: string;
  card: Card;
  /** What it is about; of a place the first thing that is there. */
  result: Result | undefined;
  /** What is known of a place, if it is one. */
  found?: Found;
  /** What it says in full. */
  extract?: Extract;
}

/** One for each thing; what lies at a place is one. What has a card or a table of its own is left out. */
export function cardsOf({ intent, results = [], extracts, tables = [] }: StepView, texts: Words, now: number): readonly Shown[] {
  const listed = new Set(tables.flatMap(({ features }) => features.features.map(({ id }) => id)));
  const left = results.filter((result) => {
    if (result.type === "oereb_extract") return !extracts.some(({ egrid }) => egrid === result.egrid);
    if (result.type === "feature") return !listed.has(result.id);
    return result.type !== "feature_set" || tables.length === 0;
  });
  const read = extracts.map((extract) => ({ ...shownOf(extractOf(extract, results), texts, now), extract }));
  return [...read, ...(intent === "identify" ? placeOf(left, texts) : left.map((result) => shownOf(result, texts, now)))];
}

/** What a step says above its cards: not what they say too. */
export function saidOf({ intent, message, tables = [] }: StepView, cards: readonly Shown[]): string {
  const isListed = intent === "query_features" ? tables.length > 0 : intent === "identify" && cards.length > 0;
  const links = cards.flatMap(({ card }) => card.links.map(({ href }) => href));
  const sources = cards.flatMap(({ card }) => card.origins.map(({ source }) => source));
  const read = cards.flatMap(({ extract }) => (extract?.content ? extract.egrid : []));
  const left = withoutExtracts(isListed ? withoutLists(message) : message, read);
  return withoutOrigins(left, links, sources) || message;
}

/** An answer as text to take along, with what its cards say. */
export function textOfSteps(steps: readonly StepView[], texts: Words, now: number, page: string): string {
  const cards = (step: StepView): readonly string[] =>
    cardsOf({ ...step, intent: "", tables: [] }, texts, now).map(({ card }) => textOfCard(card, texts, page));
  return copyOf(steps, texts.t("docs.sources"), page, cards);
}

function shownOf(result: Result, texts: Words, now: number): Shown {
  return { key: keyOf(result), result, card: cardOf(result, texts, now) };
}

/** An extract that has been read, with what only its item says. */
function extractOf(extract: Extract, results: readonly Result[]): ResultOf<"oereb_extract"> {
  const { egrid, url, mapUrl, number, municipality, kind, areaM2, content, source, isSample, staleSince } = extract;
  const item = results.find((each): each is ResultOf<"oereb_extract"> => each.type === "oereb_extract" && each.egrid === egrid);
  const origin = source || isSample ? { source, isSample, ...(staleSince ? { date: staleSince, isStale: true } : {}) } : null;
  return {
    ...(item ?? {
      type: "oereb_extract",
      id: egrid,
      label: egrid,
      where: null,
      origin,
      isRough: false,
      isAreaRough: false,
      landRegister: "",
    }),
    ...{ egrid, number, municipality, kind, areaM2, url: url ?? null, mapUrl: mapUrl ?? null },
    themes: content && content.concerned.map(({ title }) => title),
    days: content ? [content.createdOn ?? "", content.surveyOf ?? ""] : (item?.days ?? ["", ""]),
  };
}

function placeOf(results: readonly Result[], texts: Words): readonly Shown[] {
  const result = results.find(({ where }) => where) ?? results[0];
  if (!result) return [];
  const { where } = result;
  const found = foundOf(results);
  const head = headOf(where?.coord ?? null, null, found, texts);
  const card = { ...head, verdict: null, facts: [], notes: [], links: [], origins: found.origins };
  return [{ key: "place", result, card, found }];
}
