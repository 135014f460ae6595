/** What is known of a place on the map: the question, and its answer as a card shows it. */

import { fieldsOf, readProblem, textOf } from "../chat/reading";
import type { Problem } from "../chat/contract";
import { distinct, readResults, type Origin, type Result, type ResultOf } from "../chat/results";
import { grouped } from "../texts/numbers";
import type { Coord } from "./geometry";

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

/** What a layer says of the place. */
interface Saying {
  layer: string;
  label: string;
  things: readonly ResultOf<"feature">[];
}

export interface Found {
  /** The nearest one, and where it is. */
  address: ResultOf<"address"> | null;
  parcels: readonly ResultOf<"parcel">[];
  height: ResultOf<"height"> | null;
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
  return foundOf(readResults(items), textOf(note));
}

export function foundOf(results: readonly Result[], note = ""): Found {
  const of = <T extends Result["type"]>(type: T) => results.filter((each): each is Extract<Result, { type: T }> => each.type === type);
  return {
    address: of("address").find(({ label }) => label) ?? null,
    parcels: of("parcel"),
    height: of("height")[0] ?? null,
    sayings: byLayer(of("feature")),
    origins: distinct(results.map(({ origin }) => origin)),
    isSample: results.some(({ type, origin }) => type !== "feature" && origin?.isSample === true),
    note,
  };
}

/** 2 600 513 / 1 215 519; what is copied has no spaces in its numbers. */
export function coordText(coord: Coord, space?: string): string {
  return coord.map((metres) => grouped(metres, space)).join(" / ");
}

/** In the order in which they were said. */
function byLayer(features: readonly ResultOf<"feature">[]): readonly Saying[] {
  const sayings = new Map<string, Saying>();
  for (const feature of features) {
    const { layer, layerLabel: label } = feature;
    const before = sayings.get(layer) ?? { layer, label, things: [] };
    sayings.set(layer, { ...before, things: [...before.things, feature] });
  }
  return [...sayings.values()];
}
