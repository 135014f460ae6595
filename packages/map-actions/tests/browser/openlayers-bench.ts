import Attribution from "ol/control/Attribution.js";
import type Feature from "ol/Feature.js";
import VectorLayer from "ol/layer/Vector.js";
import OlMap from "ol/Map.js";
import { getPointResolution, transform } from "ol/proj.js";
import VectorSource from "ol/source/Vector.js";
import { Icon, type Style } from "ol/style.js";
import View from "ol/View.js";
import type { Coord } from "../../src/geometry.js";
import { lv95, OpenLayersMap } from "../../src/openlayers/index.js";
import { START, whitePaper, type Bench, type Drawn } from "./bench.js";

export function openLayers(projection: "EPSG:2056" | "EPSG:3857"): Bench {
  return {
    name: `OpenLayers in ${projection}`,
    open: async (target, { hasBackgrounds, areBothVisible }) => {
      lv95();
      const grey = new VectorLayer({ source: new VectorSource() });
      const aerial = new VectorLayer({ source: new VectorSource(), visible: areBothVisible === true });
      const view = new View({ projection, center: transform([...START], "EPSG:2056", projection), resolution: 10 });
      const map = new OlMap({ target, layers: [grey, aerial], view, controls: [new Attribution({ collapsible: false })], pixelRatio: 1 });
      const inventory = (): unknown => ({
        layers: map
          .getLayers()
          .getArray()
          .map((layer) => [layer === grey ? "grey" : layer === aerial ? "aerial" : "?", layer.getVisible()]),
        listeners: ["moveend", "click", "pointermove"].map((type) => map.getListeners(type as "click")?.length ?? 0),
      });
      const before = inventory();
      const adapter = new OpenLayersMap(map, hasBackgrounds ? { backgrounds: { sw: grey, ortho: aerial } } : {});
      const ours = (): VectorLayer<VectorSource<Feature>>[] =>
        map
          .getLayers()
          .getArray()
          .filter(
            (layer): layer is VectorLayer<VectorSource<Feature>> => layer instanceof VectorLayer && layer !== grey && layer !== aerial,
          );
      const features = (): Feature[] => ours().flatMap((layer) => layer.getSource()!.getFeatures());
      await new Promise((resolve) => map.once("rendercomplete", resolve));
      return {
        adapter,
        element: target,
        center: () => transform(view.getCenter()!, projection, "EPSG:2056") as unknown as Coord,
        resolution: () =>
          projection === "EPSG:2056"
            ? view.getResolution()!
            : getPointResolution(projection, view.getResolution()!, view.getCenter()!, "m"),
        layers: async () => {
          const named = ours().flatMap((layer): (Drawn & { z: number })[] => {
            const id = layer.get("id") as string | undefined;
            return id === undefined ? [] : [{ id, visible: layer.getVisible(), opacity: layer.getOpacity(), z: layer.getZIndex() ?? 0 }];
          });
          return named.toSorted((a, b) => b.z - a.z).map(({ id, visible, opacity }) => ({ id, visible, opacity }));
        },
        markers: async () => features().filter((feature) => stylesOf(feature).some((style) => style.getImage() instanceof Icon)).length,
        features: async () => features().filter((feature) => feature.get("ref")).length,
        backgrounds: () => [...(grey.getVisible() ? ["sw"] : []), ...(aerial.getVisible() ? ["ortho"] : [])],
        pixelOf: (coord) => {
          map.renderSync();
          return map.getPixelFromCoordinate(transform([...coord], "EPSG:2056", projection)) as [number, number];
        },
        picture: () => {
          map.renderSync();
          const paper = whitePaper();
          for (const canvas of target.querySelectorAll<HTMLCanvasElement>(".ol-layer canvas, canvas.ol-layer")) {
            if (canvas.width === 0) continue;
            const opacity = canvas.parentElement!.style.opacity || canvas.style.opacity;
            paper.globalAlpha = opacity === "" ? 1 : Number(opacity);
            const matrix = /^matrix\(([^)]*)\)$/.exec(canvas.style.transform)?.[1]?.split(",").map(Number);
            paper.setTransform(...((matrix ?? [1, 0, 0, 1, 0, 0]) as [number, number, number, number, number, number]));
            paper.drawImage(canvas, 0, 0);
          }
          return paper;
        },
        inventory,
        before,
        cover: (left) => void (view.padding = [0, 0, 0, left]),
        close: () => map.dispose(),
      };
    },
  };
}

function stylesOf(feature: Feature): Style[] {
  const style = feature.getStyle();
  return Array.isArray(style) ? style : [];
}
