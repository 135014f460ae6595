import { afterEach, describe, expect, it, vi } from "vitest";
import { loadRegion, regionLayer } from "../src/map/region";

const ring = [
  [2600000, 1200000],
  [2610000, 1200000],
  [2610000, 1210000],
  [2600000, 1200000],
];
const collection = (geometry: object, properties: object = {}) => ({
  type: "FeatureCollection",
  features: [{ type: "Feature", properties, geometry }],
});

async function drawn(document: unknown, status = 200) {
  vi.stubGlobal("fetch", async () => new Response(JSON.stringify(document), { status }));
  const layer = regionLayer();
  const names = await loadRegion(layer, "outline.geojson");
  const shapes = layer
    .getSource()!
    .getFeatures()
    .map((feature) => feature.getGeometry()!.getType());
  return { names, shapes };
}

afterEach(() => vi.unstubAllGlobals());

describe("the region of the map", () => {
  it("is a line around it, and a veil over the rest", async () => {
    const { names, shapes } = await drawn(collection({ type: "MultiPolygon", coordinates: [[ring]] }, { attribution: "BFS" }));
    expect(names).toEqual(["BFS"]);
    expect(shapes.toSorted()).toEqual(["MultiPolygon", "Polygon"]);
  });

  it.each([
    ["what is no outline", { type: "Nothing" }, 200],
    ["what is not there", {}, 404],
  ])("is not drawn of %s", async (_, document, status) => {
    expect(await drawn(document, status)).toEqual({ names: [], shapes: [] });
  });
});
