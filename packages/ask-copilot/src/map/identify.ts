/** What is known of a place on the map: the question, and its answer as a card shows it. */

import { fieldsOf, Refused, textOf, Unreachable, type Server } from "@ask-sogis/client";
import { distinct, readResults, type Origin, type Result, type ResultOf } from "../chat/results";
import { grouped } from "../texts/numbers";
import type { Coord } from "@ask-sogis/map-actions";

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

const MAX_LAYERS = 50;
const REACH_PX = 8;
const MIN_REACH_M = 0.5;
const MAX_REACH_M = 500;

/** How far from a place a thing may be to be meant: about a fingertip. */
export function toleranceOf(resolution: number): number {
  const metres = Math.min(Math.max(REACH_PX * resolution, MIN_REACH_M), MAX_REACH_M);
  return Math.round(metres * 10) / 10;
}

/** Throws as the server does, but for what cannot be read: that says nothing. */
export async function identify(server: Server, question: Question, signal: AbortSignal): Promise<Found> {
  const { layers, ...rest } = question;
  const document = await server.identify({ ...rest, layers: layers.slice(0, MAX_LAYERS) }, { signal }).catch((error: unknown) => {
    if (error instanceof Unreachable && error.cause instanceof SyntaxError) return null;
    throw error;
  });
  const { status, message } = fieldsOf(document);
  if (status === "error") throw new Refused({ code: status, detail: textOf(message) });
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
