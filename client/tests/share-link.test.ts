import { describe, expect, it } from "vitest";
import { DEFAULTS } from "../src/map/config";
import { CANTON_GRID, readLayer, type LayerEntry } from "@ask-sogis/map-actions";
import type { Snapshot } from "@ask-sogis/copilot/map/model.svelte";
import { fromFragment, toFragment } from "../src/session/share-link";

const HOSTS = DEFAULTS.layerHosts;
const layer = (payload: Record<string, unknown>, opacity = 1): LayerEntry => ({ ...readLayer(payload), opacity });
const wms = layer(
  {
    id: "ch.so.wald",
    type: "wms",
    source: { url: "https://geo.so.ch/api/wms", LAYERS: "ch.so.wald", TRANSPARENT: "true" },
    visible: false,
    label: "Wald – «Typ»",
    attribution: "Kanton Solothurn",
    legendUrl: "https://geo.so.ch/legend?LAYER=ch.so.wald",
  },
  0.4,
);
const wmts = layer({
  id: "luft",
  type: "wmts",
  source: { url: "https://wmts.geo.admin.ch/x/{TileMatrix}/{TileCol}/{TileRow}.jpeg", tileGrid: CANTON_GRID },
});
const shape = (points: number): LayerEntry =>
  layer({
    id: "s",
    type: "geojson",
    source: {
      data: { type: "LineString", coordinates: Array.from({ length: points }, (_, n) => [2600000 + n, 1200000]) },
      style: "highlight",
    },
  });
const whole: Snapshot = {
  background: "ortho",
  layers: [shape(4), wms, wmts],
  markers: [{ id: "a", coord: [2605899, 1229278], label: "Langendorfstrasse 19b" }],
  features: [],
  viewpoint: { center: [2605899, 1229278], resolution: 0.5 },
};

const fragmentOf = (document: unknown) => `#map=${btoa(JSON.stringify(document))}`;

describe("a share link", () => {
  it("brings back the place, the background, the layers and the markers", () => {
    expect(fromFragment(toFragment(whole), HOSTS)).toEqual(whole);
  });

  it("leaves out outlines that would make it too long", () => {
    const fragment = toFragment({ ...whole, layers: [shape(3000), wms] });
    expect(fragment.length).toBeLessThan(8_000);
    expect(fromFragment(fragment, HOSTS)?.layers).toEqual([wms]);
  });

  it("brings no layer of another host", () => {
    const foreign = { ...wms, source: { ...wms.source, url: "https://evil.example/wms" } } as LayerEntry;
    const spying = { ...wms, id: "b", legendUrl: "https://evil.example/pixel.png" };
    const snapshot = fromFragment(toFragment({ ...whole, layers: [foreign, spying, wms] }), HOSTS);
    expect(snapshot?.layers.map(({ id }) => id)).toEqual(["ch.so.wald"]);
  });

  it.each([
    ["https://tiles.maps.example/wms", ["b"]],
    ["https://maps.example/wms", []],
    ["http://tiles.maps.example/wms", []],
    ["https://tiles.evil-maps.example/wms", []],
  ])("brings a layer of %s where all hosts of a domain are allowed: %j", (url, brought) => {
    const within = { ...wms, id: "b", source: { ...wms.source, url }, legendUrl: url } as LayerEntry;
    const snapshot = fromFragment(toFragment({ ...whole, layers: [within] }), ["https://*.maps.example"]);
    expect(snapshot?.layers.map(({ id }) => id)).toEqual(brought);
  });

  it.each(["", "#", "#map=", "#map=!!!", "#other", fragmentOf(null), fragmentOf(7)])("is none in %s", (fragment) => {
    expect(fromFragment(fragment, HOSTS)).toBeNull();
  });

  it("takes what is right of one that is partly wrong", () => {
    const snapshot = fromFragment(
      fragmentOf({ v: ["x", 1, 2], b: "pink", l: [null, 3, { id: "x" }], m: [{}, { id: "a", coord: [1, 2] }] }),
      HOSTS,
    );
    expect(snapshot).toEqual({ background: "sw", features: [], layers: [], markers: [{ id: "a", coord: [1, 2] }], viewpoint: null });
  });
});
