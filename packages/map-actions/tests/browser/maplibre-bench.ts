import { Map as MapLibre, type GeoJSONSource, type StyleSpecification } from "maplibre-gl";
import "maplibre-gl/dist/maplibre-gl.css";
import { lv95Of, wgs84Of } from "../../src/lv95.js";
import { MapLibreMap } from "../../src/maplibre/index.js";
import { START, whitePaper, type Bench, type Drawn, type Options, type Witness } from "./bench.js";

export function styleOf(color = "#ffffff"): StyleSpecification {
  return {
    version: 8,
    sources: {},
    layers: [
      { id: "paper", type: "background", paint: { "background-color": color } },
      { id: "grey", type: "background", paint: { "background-opacity": 0 } },
      { id: "aerial", type: "background", layout: { visibility: "none" }, paint: { "background-opacity": 0 } },
    ],
  };
}

export interface MapLibreWitness extends Witness {
  map: MapLibre;
}

export function newMap(container: HTMLElement): MapLibre {
  const canvasContextAttributes = { preserveDrawingBuffer: true };
  const [lng, lat] = wgs84Of(START);
  return new MapLibre({
    container,
    style: styleOf(),
    center: [lng, lat],
    zoom: 12,
    attributionControl: { compact: false },
    pixelRatio: 1,
    canvasContextAttributes,
  });
}

export function witnessOf(
  map: MapLibre,
  element: HTMLElement,
  { hasBackgrounds = true, areBothVisible = false }: Options = {},
): MapLibreWitness {
  if (areBothVisible) map.setLayoutProperty("aerial", "visibility", "visible");
  const inventory = (): unknown => ({ style: map.getStyle(), images: map.listImages(), listeners: listenersOf(map) });
  const before = map.isStyleLoaded() ? inventory() : null;
  const adapter = new MapLibreMap(map, hasBackgrounds ? { backgrounds: { sw: "grey", ortho: ["aerial"] } } : {});
  const countOf = async (source: string): Promise<number> => {
    const drawn = map.getStyle().layers.some((layer) => "source" in layer && layer.source === source);
    const data = drawn ? await map.getSource<GeoJSONSource>(source)!.getData() : null;
    return data?.type === "FeatureCollection" ? data.features.length : 0;
  };
  return {
    adapter,
    map,
    element,
    center: () => lv95Of(map.getCenter().toArray()),
    resolution: () => {
      // Between two points of the middle row, ten pixels apart.
      const [x, y] = [element.clientWidth / 2, element.clientHeight / 2];
      const [one, other] = [x - 5, x + 5].map((each) => lv95Of(map.unproject([each, y]).toArray())) as [[number, number], [number, number]];
      return Math.hypot(one[0] - other[0], one[1] - other[1]) / 10;
    },
    layers: async () => {
      const found = new Map<string, Drawn>();
      for (const id of map.getLayersOrder().toReversed()) {
        const [kind, name] = [/^ask-(line|casing|fill|dot|raster)-layer:/.exec(id)?.[1], id.split(":")[1]!];
        if (!kind) continue;
        const visible = map.getLayoutProperty(id, "visibility") !== "none";
        const opacity = Number(
          map.getPaintProperty(id, `${kind === "casing" ? "line" : kind === "dot" ? "circle" : kind}-opacity` as "line-opacity"),
        );
        const before = found.get(name);
        if (before && (before.visible !== visible || before.opacity !== opacity)) throw new Error(`the layers of ${name} differ`);
        found.set(name, { id: name, visible, opacity });
      }
      return [...found.values()];
    },
    markers: () => countOf("ask-markers"),
    features: () => countOf("ask-features"),
    backgrounds: () =>
      (["grey", "aerial"] as const).flatMap((id) =>
        map.getLayoutProperty(id, "visibility") === "none" ? [] : [id === "grey" ? "sw" : "ortho"],
      ),
    pixelOf: (coord) => {
      const { x, y } = map.project([...wgs84Of(coord)]);
      return [x, y];
    },
    picture: () => {
      const paper = whitePaper();
      paper.drawImage(map.getCanvas(), 0, 0);
      return paper;
    },
    inventory,
    before,
    cover: (left) => void map.setPadding({ left, top: 0, right: 0, bottom: 0 }),
    close: () => map.remove(),
  };
}

export const mapLibre: Bench = {
  name: "MapLibre",
  open: async (element, options) => {
    const map = newMap(element);
    await map.once("load");
    return witnessOf(map, element, options);
  },
};

/** How many there are of each type. */
function listenersOf(map: MapLibre): Record<string, number> {
  const all = (map as unknown as { _listeners: Record<string, unknown[]> })._listeners;
  return Object.fromEntries(Object.entries(all).flatMap(([type, each]) => (each.length > 0 ? [[type, each.length]] : [])));
}
