/** What is drawn, as sources, style layers and pictures of MapLibre. */

import type { FilterSpecification, LayerSpecification, SourceSpecification } from "maplibre-gl";
import type { Feature } from "geojson";
import type { Emphasis } from "../adapter.js";
import { isMark, type Contents, type LayerEntry } from "../contents.js";
import type { FeatureTable } from "../features.js";
import { boundsOf, middleOf, type Coord } from "../geometry.js";
import {
  asMarkup,
  featureLettering,
  labelPicture,
  MARKER_LETTERING,
  NAMED_BELOW_M,
  numberPicture,
  pixelsOf,
  shortened,
  type Lettering,
} from "../labels.js";
import { featureLook, layerLook, LIFTED_PX, outlineLook, OUTLINED_PX, RING_PX, ringLooks, type Look } from "../looks.js";
import { wgs84Of, type LonLat } from "../lv95.js";
import type { Palette } from "../palette.js";
import { PIN, pinPicture } from "../pin.js";
import { shapesOf, type Shape } from "../shapes.js";
import { wmsTemplate } from "../wms.js";
import { zoomAt } from "./camera.js";

/** What all names start with that are given on the map. */
export const PREFIX = "ask-";

/** The layers of one source. */
export interface Piece {
  /** Of the source. */
  id: string;
  /** What the source is made of: as long as these are the same, it is. */
  of: readonly unknown[];
  source(): SourceSpecification;
  /** The lowest first. */
  layers: readonly LayerSpecification[];
  /** By their names. */
  pictures: ReadonlyMap<string, () => ImageData>;
  /** The layer of the contents whose tiles it has. */
  tilesOf?: string;
}

/** Of a picture that a map service draws. */
const TILE_PX = 512;
/** Where names of features are wanted, anywhere in Switzerland. */
const NAMED_FROM = zoomAt(NAMED_BELOW_M, 46.8);

/** The lowest first. */
export function piecesOf(contents: Contents, emphasis: Emphasis, palette: Palette): Piece[] {
  const layers = contents.layers.toReversed();
  const { highlighted, candidates, lifted } = emphasis;
  const tables = contents.features;
  return [
    ...layers.filter((entry) => !isMark(entry)).flatMap((entry) => pieceOf(entry, palette) ?? []),
    ...shapesPiece("features", tables, featureLook(false, palette), () => tables.flatMap((table) => featuresOf(table))),
    ...(highlighted
      ? shapesPiece("highlighted", [...tables, highlighted.table, highlighted.feature], featureLook(true, palette), () =>
          tables.filter(({ id }) => id === highlighted.table).flatMap((table) => featuresOf(table, highlighted.feature)),
        )
      : []),
    ...layers.filter(isMark).flatMap((entry) => pieceOf(entry, palette) ?? []),
    ...(lifted ? [lifted.geometry ? liftedShape(lifted.geometry, palette) : ringPiece(lifted, palette)] : []),
    ...namesPieces(tables, emphasis, palette),
    ...markersPieces(contents, palette),
    ...shapesPiece("outlines", candidates, outlineLook(OUTLINED_PX, palette), () => candidates.flatMap(({ geometry }) => drawn(geometry))),
    ...numbersPiece(emphasis, palette),
  ];
}

function pieceOf(entry: LayerEntry, palette: Palette): Piece | null {
  const { id, source, visible, opacity, attribution } = entry;
  if (source.type === "wmts") return null;
  if (source.type === "geojson") {
    const layers = layersOf(`layer:${id}`, layerLook(isMark(entry), palette), { visible, opacity });
    const piece = plain(`layer:${id}`, [source], () => drawn(source.data), layers);
    return attribution
      ? { ...piece, source: () => ({ ...piece.source(), attribution: asMarkup(attribution) }) as SourceSpecification }
      : piece;
  }
  const name = `${PREFIX}layer:${id}`;
  return {
    id: name,
    of: [source],
    source: () => ({
      type: "raster",
      // As sharp as the screen.
      tiles: [wmsTemplate(source.url, source.parameters, TILE_PX, devicePixelRatio > 1 ? 2 : 1)],
      tileSize: devicePixelRatio > 1 ? TILE_PX / 2 : TILE_PX,
      ...(attribution ? { attribution: asMarkup(attribution) } : {}),
    }),
    layers: [
      {
        id: `${PREFIX}raster-layer:${id}`,
        type: "raster",
        source: name,
        layout: { visibility: visible ? "visible" : "none" },
        paint: { "raster-opacity": opacity },
      },
    ],
    pictures: new Map(),
    tilesOf: id,
  };
}

function plain(
  name: string,
  of: readonly unknown[],
  shapes: () => readonly Feature[],
  layers: readonly LayerSpecification[],
  pictures: Piece["pictures"] = new Map(),
): Piece {
  const source = (): SourceSpecification => ({ type: "geojson", data: { type: "FeatureCollection", features: [...shapes()] } });
  return { id: PREFIX + name, of, source, layers, pictures };
}

/** In degrees. */
function drawn(geojson: unknown): readonly Feature[] {
  return shapesOf(geojson, wgs84Of) as (Shape & Feature)[];
}

function shapesPiece(name: string, of: readonly unknown[], look: Look, shapes: () => readonly Feature[]): Piece[] {
  return of.length === 0 ? [] : [plain(name, of, shapes, layersOf(name, look))];
}

function liftedShape(geometry: object, palette: Palette): Piece {
  return plain("lifted", [geometry], () => drawn(geometry), layersOf("lifted", outlineLook(LIFTED_PX, palette)));
}

function ringPiece({ coord }: { coord: Coord }, palette: Palette): Piece {
  const rings = ringLooks(RING_PX, palette).map((ring, n) => dotLayer(`ring-${n}`, "ring", ring, 1));
  return plain("ring", [coord[0], coord[1]], () => [pointAt(coord, {})], rings);
}

function featuresOf({ features }: FeatureTable, only: string | null = null): Feature[] {
  const wanted = features.features.filter(({ id }) => only === null || id === only);
  return wanted.flatMap(({ geometry }) => drawn(geometry));
}

const names = new WeakMap<FeatureTable, readonly (Label & { feature: string })[]>();

/** Computed once: what stands out changes with each move of the pointer. */
function namesOf(table: FeatureTable): readonly (Label & { feature: string })[] {
  const known = names.get(table);
  if (known) return known;
  const found = table.features.features.flatMap(({ id, geometry, properties }) => {
    const extent = geometry && boundsOf(geometry);
    return extent ? [{ feature: id, text: properties.label, at: wgs84Of(middleOf(extent)) }] : [];
  });
  names.set(table, found);
  return found;
}

function namesPieces(tables: readonly FeatureTable[], { highlighted }: Emphasis, palette: Palette): Piece[] {
  const named = tables.flatMap((table) =>
    namesOf(table).map(({ feature, ...name }) => ({
      ...name,
      isStrong: highlighted?.table === table.id && highlighted.feature === feature,
    })),
  );
  return [false, true].flatMap((isStrong) => {
    const lettering = featureLettering(featureLook(isStrong, palette).dot.radius);
    const labels = named.filter((each) => each.isStrong === isStrong);
    const minzoom = isStrong ? 0 : NAMED_FROM;
    const of = [...tables, highlighted?.table, highlighted?.feature, palette];
    return labelsPiece(isStrong ? "highlighted-name" : "names", of, labels, lettering, palette, minzoom);
  });
}

function markersPieces({ markers }: Contents, palette: Palette): Piece[] {
  if (markers.length === 0) return [];
  const [x, y] = PIN.foot;
  const pin = `${PREFIX}pin`;
  const pins = plain(
    "markers",
    markers,
    () => markers.map(({ coord }) => pointAt(coord, { picture: pin })),
    [pictureLayer("markers", { "icon-anchor": "top-left", "icon-offset": [-x, -y], "icon-ignore-placement": true })],
    new Map([[pin, () => pixelsOf(pinPicture(pictureRatio()))]]),
  );
  const labels = markers.flatMap(({ coord, label }) => (label ? [{ text: label, at: wgs84Of(coord) }] : []));
  return [pins, ...labelsPiece("labels", [...markers, palette], labels, MARKER_LETTERING, palette)];
}

function numbersPiece({ candidates }: Emphasis, palette: Palette): Piece[] {
  if (candidates.length === 0) return [];
  const nameOf = (n: number): string => `${PREFIX}number:${palette.badge}:${palette.badgeInk}:${palette.halo}:${n + 1}`;
  return [
    plain(
      "numbers",
      [...candidates, palette],
      () => candidates.map(({ coord }, n) => pointAt(coord, { picture: nameOf(n), above: -n })),
      [pictureLayer("numbers", { "icon-ignore-placement": true, "symbol-sort-key": ["get", "above"] })],
      new Map(candidates.map((_, n) => [nameOf(n), () => numberPicture(n + 1, pictureRatio(), palette)])),
    ),
  ];
}

interface Label {
  text: string;
  at: LonLat;
}

/** Labels give way to each other. */
function labelsPiece(
  name: string,
  of: readonly unknown[],
  labels: readonly Label[],
  lettering: Lettering,
  palette: Palette,
  minzoom = 0,
): Piece[] {
  if (labels.length === 0) return [];
  const textOf = ({ text }: Label): string => shortened(text, lettering.maxChars);
  const nameOf = (text: string): string => `${PREFIX}label:${lettering.size}:${palette.ink}:${palette.halo}:${text}`;
  const layer = pictureLayer(name, { "icon-allow-overlap": false, "icon-offset": [0, lettering.offset] }, minzoom);
  const texts = new Set(labels.map(textOf));
  return [
    plain(
      name,
      of,
      () => labels.map((label) => pointOf(label.at, { picture: nameOf(textOf(label)) })),
      [layer],
      new Map([...texts].map((text) => [nameOf(text), () => labelPicture(text, lettering, pictureRatio(), palette)])),
    ),
  ];
}

/** How many pixels of a picture are one of the page. */
export function pictureRatio(): number {
  return Math.ceil(devicePixelRatio);
}

type SymbolLayout = NonNullable<Extract<LayerSpecification, { type: "symbol" }>["layout"]>;

function pictureLayer(name: string, layout: SymbolLayout, minzoom = 0): LayerSpecification {
  return {
    id: `${PREFIX}pictures-${name}`,
    type: "symbol",
    source: PREFIX + name,
    minzoom,
    layout: { "icon-image": ["get", "picture"], "icon-allow-overlap": true, "icon-padding": 0, ...layout },
  };
}

function layersOf(name: string, look: Look, { visible, opacity } = { visible: true, opacity: 1 }): LayerSpecification[] {
  const common = { source: PREFIX + name, layout: { visibility: visible ? ("visible" as const) : ("none" as const) } };
  const line = (kind: string, { color, width }: Look["line"]): LayerSpecification => ({
    id: `${PREFIX}${kind}-${name}`,
    type: "line",
    source: common.source,
    layout: { ...common.layout, "line-cap": "round", "line-join": "round" },
    paint: { "line-color": color, "line-width": width, "line-opacity": opacity },
  });
  return [
    {
      id: `${PREFIX}fill-${name}`,
      type: "fill",
      ...common,
      filter: only("Polygon"),
      paint: { "fill-color": look.fill, "fill-opacity": opacity },
    },
    line("casing", look.casing),
    line("line", look.line),
    { ...dotLayer(`dot-${name}`, name, look.dot, opacity), layout: common.layout },
  ];
}

type CircleLayer = Extract<LayerSpecification, { type: "circle" }>;

function dotLayer(name: string, source: string, { radius, fill, rim }: Look["dot"], opacity: number): CircleLayer {
  return {
    id: PREFIX + name,
    type: "circle",
    source: PREFIX + source,
    filter: only("Point"),
    paint: {
      // Here the rim is all outside of the radius.
      "circle-radius": radius - rim.width / 2,
      "circle-color": fill,
      "circle-opacity": opacity,
      "circle-stroke-color": rim.color,
      "circle-stroke-width": rim.width,
      "circle-stroke-opacity": opacity,
    },
  };
}

function only(type: "Point" | "Polygon"): FilterSpecification {
  return ["==", ["geometry-type"], type];
}

function pointAt(coord: Coord, properties: Record<string, string | number>): Feature {
  return pointOf(wgs84Of(coord), properties);
}

function pointOf([longitude, latitude]: LonLat, properties: Record<string, string | number>): Feature {
  return { type: "Feature", geometry: { type: "Point", coordinates: [longitude, latitude] }, properties };
}
