/** Reads what comes from outside into the types of the contract; what is missing or wrong becomes harmless. */

import { fieldsOf, listOf, textOf, type FieldsOf } from "@ask-sogis/client";
import { safeLink } from "@ask-sogis/map-actions";
import type { Answer, Choice, Document, Place, Proposal, Research, Schemas, Source, Status } from "./contract";
import { readResults } from "./results";

const MAX_RESULTS = 30;
const MAX_PLACES = 3;
const MAX_SUGGESTIONS = 3;
const MAX_SUGGESTION_CHARS = 200;
const STATUSES: readonly Status[] = ["ok", "needs_user_choice", "needs_clarification", "error"];

export function readAnswer(value: unknown): Answer {
  const { intent, status, message, choices, research, cut, items, suggestions } = fieldsOf<Schemas["Step"]>(value);
  return {
    intent: textOf(intent),
    status: STATUSES.find((each) => each === status) ?? "error",
    message: textOf(message),
    choices: normaliseChoices(choices),
    research: research === undefined ? null : readResearch(research),
    isUnfinished: cut === true,
    results: readResults(items).slice(0, MAX_RESULTS),
    suggestions: readSuggestions(suggestions),
  };
}

/** Choices as a list or as an object by id; those without an id or a label are dropped, as are repetitions. */
export function normaliseChoices(value: unknown): readonly Choice[] {
  const entries: [string, FieldsOf<Schemas["Choice"]>][] = Array.isArray(value)
    ? value.map((each) => ["", fieldsOf(each)])
    : Object.entries(fieldsOf(value)).map(([key, each]) => [key, fieldsOf(each)]);
  const choices = new Map<string, Choice>();
  for (const [key, { id, label, confidence, mapActions, data }] of entries) {
    const facts = fieldsOf(data);
    const read = {
      id: textOf(id) || key || textOf(facts["id"]),
      label: textOf(label).trim() || textOf(facts["label"]).trim(),
      confidence: typeof confidence === "number" && confidence >= 0 && confidence <= 1 ? confidence : null,
      mapActions: listOf(mapActions),
    };
    if (read.id && read.label && !choices.has(read.id)) choices.set(read.id, read);
  }
  return [...choices.values()];
}

export function readDocument(value: unknown): Document {
  const { id, name, url, isChecked, isRelevant, relevanceReason, kind, body, sample, ...facts } =
    fieldsOf<Schemas["TrackedDocument"]>(value);
  return {
    id: textOf(id),
    name: textOf(name) || textOf(id),
    url: safeLink(url),
    ...readFacts(facts),
    ...(textOf(kind) ? { kind: textOf(kind) } : {}),
    ...(textOf(body) ? { body: textOf(body) } : {}),
    isChecked: isChecked === true,
    isRelevant: isRelevant === true,
    relevanceReason: textOf(relevanceReason),
    ...readSample(sample),
  };
}

export function readProposal(value: unknown): Proposal {
  const { identifier, name, subject, url, sample, ...facts } = fieldsOf<Schemas["TrackedProposal"]>(value);
  const { date } = readFacts(facts);
  const words = { identifier: textOf(identifier), name: textOf(name), subject: textOf(subject) };
  return { ...words, url: safeLink(url), ...(date ? { date } : {}), ...readSample(sample) };
}

function readResearch(value: unknown): Research {
  const { trackedDocuments, trackedProposals, sources, errorInfo } = fieldsOf<Schemas["Research"]>(value);
  return {
    documents: listOf(trackedDocuments).map(readDocument),
    proposals: listOf(trackedProposals).map(readProposal),
    sources: listOf(sources).map(readSource),
    suggestions: readSuggestions(fieldsOf<Schemas["ErrorInfo"]>(errorInfo).suggestions),
  };
}

/** Longer ones are none that anybody would press. */
function readSuggestions(value: unknown): readonly string[] {
  const sentences = listOf(value).map((each) => textOf(each).trim());
  return [...new Set(sentences.filter((each) => each && each.length <= MAX_SUGGESTION_CHARS))].slice(0, MAX_SUGGESTIONS);
}

function readSource(value: unknown): Source {
  const { n, id, name, url, places, sample, ...facts } = fieldsOf<Schemas["Source"]>(value);
  return {
    n: typeof n === "number" ? n : 0,
    name: textOf(name) || textOf(id),
    url: safeLink(url),
    ...readFacts(facts),
    ...(Array.isArray(places) ? { places: readPlaces(places) } : {}),
    ...readSample(sample),
  };
}

function readPlaces(values: readonly unknown[]): readonly Place[] {
  return values
    .slice(0, MAX_PLACES)
    .map((value) => {
      const { section, page, url } = fieldsOf<Schemas["SourcePlace"]>(value);
      return {
        ...(textOf(section) ? { section: textOf(section) } : {}),
        ...(typeof page === "number" && Number.isInteger(page) && page > 0 ? { page } : {}),
        url: safeLink(url),
      };
    })
    .filter(({ section, page }) => section ?? page);
}

function readSample(sample: unknown): { isSample?: true } {
  return sample === true ? { isSample: true } : {};
}

function readFacts({ sizeBytes, date }: { sizeBytes?: unknown; date?: unknown }): { sizeBytes?: number; date?: string } {
  return {
    ...(typeof sizeBytes === "number" && sizeBytes >= 0 ? { sizeBytes } : {}),
    ...(typeof date === "string" && /^\d{4}-\d{2}-\d{2}$/.test(date) ? { date } : {}),
  };
}
