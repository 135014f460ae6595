import ImageTile from "ol/ImageTile.js";
import TileState from "ol/TileState.js";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { inTime, loadTile } from "../src/openlayers/patience.js";

const SRC = "https://geo.so.ch/picture";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("a tile", () => {
  const begun = (): ImageTile => {
    const tile = new ImageTile([0, 0, 0], TileState.IDLE, SRC, {}, (it, src) => loadTile(it as ImageTile, src));
    tile.load();
    return tile;
  };

  it("that does not come has failed, and its request is ended", () => {
    const tile = begun();
    const image = tile.getImage() as HTMLImageElement;
    vi.advanceTimersByTime(19_999);
    expect([tile.getState(), image.getAttribute("src")]).toEqual([TileState.LOADING, SRC]);
    vi.advanceTimersByTime(1);
    expect([tile.getState(), image.getAttribute("src")]).toEqual([TileState.ERROR, ""]);
  });

  it("that has come stays", () => {
    const tile = begun();
    tile.setState(TileState.LOADED);
    vi.advanceTimersByTime(60_000);
    expect(tile.getState()).toBe(TileState.LOADED);
  });

  it("has its whole time again when it is asked for again", () => {
    const tile = begun();
    vi.advanceTimersByTime(15_000);
    tile.setState(TileState.ERROR);
    tile.load();
    vi.advanceTimersByTime(19_999);
    expect(tile.getState()).toBe(TileState.LOADING);
    vi.advanceTimersByTime(1);
    expect(tile.getState()).toBe(TileState.ERROR);
  });
});

describe("a picture", () => {
  const image = (): HTMLImageElement => Object.assign(new Image(), { src: SRC });

  it("that does not come is given up, and its request is ended", async () => {
    const picture = image();
    const loading = inTime(picture, new Promise(() => undefined));
    const given = expect(loading).rejects.toThrow("too late");
    vi.advanceTimersByTime(60_000);
    await given;
    expect(picture.getAttribute("src")).toBe("");
  });

  it("is what has been loaded, or its error", async () => {
    const picture = image();
    await expect(inTime(picture, Promise.resolve("loaded"))).resolves.toBe("loaded");
    await expect(inTime(picture, Promise.reject(new Error("broken")))).rejects.toThrow("broken");
    expect(vi.getTimerCount()).toBe(0);
    expect(picture.getAttribute("src")).toBe(SRC);
  });
});
