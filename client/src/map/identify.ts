/** What is known of a place on the map: the question, and its answer as a card shows it. */

import { fieldsOf, listOf, readProblem, textOf, type Fields } from "../chat/reading";
import type { Problem } from "../chat/contract";
import { isCoord, type Coord } from "./geometry";

export interface Question {
  sessionId: string;
  x: number;
  y: number;
  /** Ids of the layers that are seen. */
  layers: readonly string[];
  /** Metres. */
  tolerance: number;
  language: string;
}

/** What a data set says of a thing. */
export interface Fact {
  name: string;
  value: string | number;
  unit?: string;
}

export interface Parcel {
  egrid: string;
  number: string;
  municipality: string;
  kind: string;
  areaM2: number | null;
}

export interface Thing {
  id: string;
  label: string;
  facts: readonly Fact[];
  isSample: boolean;
}

/** What a layer says of the place. */
export interface Saying {
  layer: string;
  label: string;
  things: readonly Thing[];
}

/** Where something comes from. */
export interface Origin {
  source: string;
  /** `2026-11-22`, as far as it is known. */
  date?: string;
  isSample: boolean;
}

export interface Found {
  /** The nearest one, and where it is. */
  address: { label: string; coord: Coord | null } | null;
  parcels: readonly Parcel[];
  height: { metres: number; isRough: boolean } | null;
  sayings: readonly Saying[];
  origins: readonly Origin[];
  /** Address, parcels and height are invented, to try things out, or one of them is. */
  isSample: boolean;
  /** Which layers have nothing there, and who did not answer. */
  note: string;
}

export class Failed extends Error {
  /** `problem` is null when the server cannot be reached. */
  constructor(readonly problem: Problem | null) {
    super(problem?.code ?? "unreachable");
  }
}

const MAX_LAYERS = 50;
const REACH_PX = 8;
const MIN_REACH_M = 0.5;
const MAX_REACH_M = 500;

/** How far from a place a thing may be to be meant: about a fingertip. */
export function toleranceOf(resolution: number): number {
  const metres = Math.min(Math.max(REACH_PX * resolution, MIN_REACH_M), MAX_REACH_M);
  return Math.round(metres * 10) / 10;
}

/** Throws `Failed`, or what `fetch` throws when it was aborted. */
export async function identify(fetch: typeof globalThis.fetch, question: Question, signal: AbortSignal): Promise<Found> {
  const body = JSON.stringify({ ...question, layers: question.layers.slice(0, MAX_LAYERS) });
  const answer = await fetch("api/identify", { method: "POST", headers: { "Content-Type": "application/json" }, body, signal }).catch(
    (error: unknown) => {
      if (signal.aborted) throw error;
      throw new Failed(null);
    },
  );
  const document = (await answer.json().catch(() => ({}))) as unknown;
  if (!answer.ok) throw new Failed(readProblem(document));
  const { status, message } = fieldsOf(document);
  if (status === "error") throw new Failed({ code: status, detail: textOf(message) });
  return readFound(document);
}

export function readFound(document: unknown): Found {
  const { items, note } = fieldsOf(document);
  const read = listOf(items).map(fieldsOf);
  const of = (type: string): readonly Fields[] => read.filter((each) => each["type"] === type);
  const origins = distinct(read.map(({ provenance }) => readOrigin(provenance)).filter((origin) => origin !== null));
  return {
    address:
      of("address")
        .map(readAddress)
        .find(({ label }) => label) ?? null,
    parcels: of("parcel").map(readParcel),
    height:
      of("height")
        .map(readHeight)
        .find((height) => height !== null) ?? null,
    sayings: byLayer(of("feature")),
    origins,
    isSample: read.some(({ type, provenance }) => type !== "feature" && readOrigin(provenance)?.isSample === true),
    note: textOf(note),
  };
}

export function readOrigin(provenance: unknown): Origin | null {
  const { source, retrievedAt, sample } = fieldsOf(provenance);
  if (!textOf(source)) return null;
  const day = /^\d{4}-\d{2}-\d{2}/.exec(textOf(retrievedAt))?.[0];
  return { source: textOf(source), ...(day ? { date: day } : {}), isSample: sample === true };
}

/** 2600513 / 1215519 */
export function coordText(coord: Coord, space = ""): string {
  return coord
    .map((metres) =>
      Math.round(metres)
        .toString()
        .replace(/\B(?=(\d{3})+$)/g, space),
    )
    .join(" / ");
}

function readAddress({ label, coord }: Fields): NonNullable<Found["address"]> {
  return { label: textOf(label), coord: isCoord(coord) ? coord : null };
}

function readHeight({ heightM, provenance }: Fields): Found["height"] {
  const metres = numberOf(heightM);
  return metres === null ? null : { metres, isRough: fieldsOf(provenance)["match"] === "fuzzy" };
}

function readParcel({ egrid, number, municipality, kind, areaM2 }: Fields): Parcel {
  const named = { egrid: textOf(egrid), number: textOf(number), municipality: textOf(municipality), kind: textOf(kind) };
  return { ...named, areaM2: numberOf(areaM2) };
}

/** In the order in which they were said. */
function byLayer(features: readonly Fields[]): readonly Saying[] {
  const sayings = new Map<string, Saying>();
  for (const feature of features) {
    const layer = textOf(feature["layer"]);
    const before = sayings.get(layer) ?? { layer, label: textOf(feature["layerLabel"]) || layer, things: [] };
    sayings.set(layer, { ...before, things: [...before.things, readThing(feature)] });
  }
  return [...sayings.values()];
}

function readThing({ id, label, attributes, provenance }: Fields): Thing {
  const facts = listOf(attributes)
    .map(fieldsOf)
    .map(readFact)
    .filter((fact) => fact !== null);
  return { id: textOf(id), label: textOf(label), facts, isSample: readOrigin(provenance)?.isSample === true };
}

function readFact({ name, value, unit }: Fields): Fact | null {
  const read = typeof value === "number" ? numberOf(value) : textOf(value).trim();
  if (!textOf(name) || read === null || read === "") return null;
  return { name: textOf(name), value: read, ...(textOf(unit) ? { unit: textOf(unit) } : {}) };
}

function numberOf(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

function distinct(origins: readonly Origin[]): readonly Origin[] {
  return [...new Map(origins.map((origin) => [JSON.stringify(origin), origin])).values()];
}
