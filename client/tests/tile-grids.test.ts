import { describe, expect, it } from "vitest";
import { DEFAULTS, readConfig } from "../src/map/config";
import { CANTON_GRID, FEDERAL_GRID, readTileGrid, resolutionOfZoom, tileUrl, zoomOfResolution } from "@ask-sogis/map-actions";

describe("tiles", () => {
  it("are addressed row first at the canton, column first at the Confederation", () => {
    expect(tileUrl(DEFAULTS.backgrounds.sw.url, "7", 36, 23)).toMatch(/\/2056\/7\/23\/36$/);
    const federal = readConfig({ backgrounds: { sw: "federal" } }).backgrounds.sw;
    expect(tileUrl(federal.url, "19", 36, 23)).toMatch(/\/2056\/19\/36\/23\.jpeg$/);
  });

  it("of both services have the levels that they publish", () => {
    expect([CANTON_GRID.resolutions.length, FEDERAL_GRID.resolutions.length]).toEqual([15, 29]);
    expect([CANTON_GRID.resolutions[7], FEDERAL_GRID.resolutions[19]]).toEqual([20, 20]);
  });

  it("of federal maps end before those of federal photographs", () => {
    const { sw, color, ortho } = readConfig({ backgrounds: { sw: "federal", color: "federal", ortho: "federal" } }).backgrounds;
    expect([sw, color, ortho].map(({ tileGrid }) => tileGrid.resolutions.at(-1))).toEqual([0.5, 0.5, 0.1]);
    expect(sw.tileGrid.matrixIds.at(-1)).toBe("26");
  });

  it("come in any grid that an action describes, if it makes sense", () => {
    const described = JSON.parse(JSON.stringify(FEDERAL_GRID)) as object;
    expect(readTileGrid(described)).toEqual(FEDERAL_GRID);
    for (const wrong of [null, {}, { ...described, resolutions: [1, 2] }, { ...described, tileSize: 0 }, { ...described, origin: [1] }]) {
      expect(readTileGrid(wrong)).toBeNull();
    }
  });
});

describe("zoom levels", () => {
  it("are those of web maps, at the closest level of the tiles", () => {
    expect([9, 13, 14, 17, 18].map(resolutionOfZoom)).toEqual([250, 10, 5, 1, 0.5]);
  });

  it.each([9, 11, 13, 14, 17, 18])("%i is what can be read from the map afterwards", (zoom) => {
    expect(zoomOfResolution(resolutionOfZoom(zoom))).toBe(zoom);
  });
});

describe("the configuration", () => {
  it.each([null, 3, [], {}, { backgrounds: 3 }, { backgrounds: { sw: { url: "javascript:x" } } }, { layerHosts: "x" }])(
    "is as by default where %j says nothing useful",
    (document) => expect(readConfig(document)).toEqual(DEFAULTS),
  );

  it("takes what the sources know by name, and nothing that is no place", () => {
    const example = { intent: "goto_address", text: "Gehe zur Rue du Lac 12", subject: "Rue du Lac 12" };
    const places = [["Aubonnes", 2560000, 1200000, 0], ["Nirgendwo", "x", 1, 0], ["Saint-Aubin", 2564200, 1203100, 7], 3];
    const read = readConfig({ places, examples: { fr: [example, { text: 3 }], it: 3 }, extent: [2556000, 1195000, 2578000, 1213000] });
    expect(read.places).toEqual([["Aubonnes", 2560000, 1200000, 0]]);
    expect(read.examples).toEqual({ fr: [example], it: [] });
    expect(read.extent).toEqual([2556000, 1195000, 2578000, 1213000]);
  });

  it.each([
    [90, 90],
    [0, 0],
    [-1, 0],
    ["90", 0],
    [null, 0],
  ])("say how long feedback is kept: %j is %j", (feedbackDays, days) => {
    expect(readConfig({ feedbackDays }).feedbackDays).toBe(days);
  });

  it("replaces one background and leaves the others", () => {
    const url = "https://tiles.example/{TileMatrix}/{TileRow}/{TileCol}.png";
    const { backgrounds, layerHosts } = readConfig({
      backgrounds: { color: { url, attribution: "Beispiel" } },
      layerHosts: ["https://a.ch"],
    });
    expect(backgrounds.color).toEqual({ url, attribution: "Beispiel", tileGrid: CANTON_GRID });
    expect([backgrounds.sw, layerHosts]).toEqual([DEFAULTS.backgrounds.sw, ["https://a.ch"]]);
  });
});
