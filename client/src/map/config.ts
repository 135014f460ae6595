/** Where maps come from. `config.json` beside the page may replace any of it. */

import type { Told } from "@ask-sogis/copilot/copilot.svelte";
import { readExamples } from "@ask-sogis/copilot/chat/suggestions";
import {
  CANTON_GRID,
  FEDERAL_GRID,
  FEDERAL_MAPS_GRID,
  isCoord,
  isExtent,
  isTileTemplate,
  isWeb,
  readTileGrid,
  type Background,
  type Extent,
  type TileGridSpec,
} from "@ask-sogis/map-actions";

export interface BackgroundSource {
  /** A template with `{TileMatrix}`, `{TileRow}` and `{TileCol}`. */
  url: string;
  tileGrid: TileGridSpec;
  attribution: string;
  /** What to show as long as its tiles do not come. */
  instead?: BackgroundSource;
}

/** A name on the map of last resort; rank 0 is the most important. */
export type Place = readonly [name: string, east: number, north: number, rank: 0 | 1 | 2];

/** What is not known to the page itself, but to the sources of the server. */
export interface MapConfig extends Told {
  /** What the map shows at first. */
  extent: Extent;
  /** Where the GeoJSON is of what stands out at the start; null when nothing does. */
  outline: string | null;
  places: readonly Place[];
  backgrounds: Readonly<Record<Exclude<Background, "none">, BackgroundSource>>;
}

const CANTON_TILES = "https://geo.so.ch/api/wmts/1.0.0";
const FEDERAL_TILES = "https://wmts.geo.admin.ch/1.0.0";

function ofCanton(layer: string, instead: BackgroundSource): BackgroundSource {
  // The row comes before the column.
  const url = `${CANTON_TILES}/${layer}/default/2056/{TileMatrix}/{TileRow}/{TileCol}`;
  return { url, tileGrid: CANTON_GRID, attribution: "Kanton Solothurn", instead };
}

function ofConfederation(layer: string, tileGrid: TileGridSpec): BackgroundSource {
  const url = `${FEDERAL_TILES}/${layer}/default/current/2056/{TileMatrix}/{TileCol}/{TileRow}.jpeg`;
  return { url, tileGrid, attribution: "swisstopo" };
}

/** Alone with `"sw": "federal"` in `config.json`. */
const FEDERAL: MapConfig["backgrounds"] = {
  sw: ofConfederation("ch.swisstopo.pixelkarte-grau", FEDERAL_MAPS_GRID),
  color: ofConfederation("ch.swisstopo.pixelkarte-farbe", FEDERAL_MAPS_GRID),
  ortho: ofConfederation("ch.swisstopo.swissimage", FEDERAL_GRID),
};

export const DEFAULTS: MapConfig = {
  extent: [2485000, 1075000, 2834000, 1296000],
  outline: null,
  places: [],
  examples: {},
  backgrounds: {
    sw: ofCanton("ch.so.agi.hintergrundkarte_sw", FEDERAL.sw),
    color: ofCanton("ch.so.agi.hintergrundkarte_farbig", FEDERAL.color),
    ortho: ofCanton("ch.so.agi.hintergrundkarte_ortho", FEDERAL.ortho),
  },
  layerHosts: ["https://geo.so.ch", "https://wmts.geo.admin.ch", "https://wms.geo.admin.ch"],
  feedbackDays: 0,
};

/** The configuration in a document; what is missing or wrong in it is as by default. */
export function readConfig(document: unknown): MapConfig {
  const { backgrounds, layerHosts, extent, outline, places, examples, feedbackDays } = (document ?? {}) as Record<string, unknown>;
  const given = (backgrounds ?? {}) as Record<string, unknown>;
  const read = (name: keyof MapConfig["backgrounds"]): BackgroundSource =>
    (given[name] === "federal" ? FEDERAL[name] : readBackground(given[name])) ?? DEFAULTS.backgrounds[name];
  const hosts = Array.isArray(layerHosts) ? layerHosts.filter((host) => typeof host === "string" && isWeb(host)) : null;
  return {
    backgrounds: { sw: read("sw"), color: read("color"), ortho: read("ortho") },
    layerHosts: hosts ?? DEFAULTS.layerHosts,
    extent: isExtent(extent) ? extent : DEFAULTS.extent,
    outline: typeof outline === "string" && outline !== "" ? outline : DEFAULTS.outline,
    places: Array.isArray(places) ? places.filter(isPlace) : [],
    examples: readExamples(examples),
    feedbackDays: typeof feedbackDays === "number" && feedbackDays > 0 ? feedbackDays : DEFAULTS.feedbackDays,
  };
}

function isPlace(value: unknown): value is Place {
  if (!Array.isArray(value)) return false;
  const [name, east, north, rank] = value as unknown[];
  return typeof name === "string" && isCoord([east, north]) && (rank === 0 || rank === 1 || rank === 2);
}

/** Never fails: without an answer the defaults count. */
export async function loadConfig(): Promise<MapConfig> {
  try {
    const response = await fetch("config.json");
    return readConfig(response.ok ? await response.json() : {});
  } catch {
    return DEFAULTS;
  }
}

function readBackground(value: unknown): BackgroundSource | null {
  const { url, tileGrid, attribution = "" } = (value ?? {}) as Record<string, unknown>;
  if (typeof url !== "string" || !isWeb(url) || !isTileTemplate(url) || typeof attribution !== "string") return null;
  const grid = tileGrid === "federal" ? FEDERAL_GRID : tileGrid === undefined ? CANTON_GRID : readTileGrid(tileGrid);
  return grid && { url, tileGrid: grid, attribution };
}
