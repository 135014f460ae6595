import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { DEFAULTS } from "../src/map/config";
import type { MapModel } from "@ask-sogis/copilot/map/model.svelte";
import { Links } from "../src/session/links.svelte";
import { toFragment } from "../src/session/share-link";
import { Texts } from "@ask-sogis/copilot/texts/texts.svelte";
import { serverOf } from "../../packages/ask-copilot/tests/a-server";
import { HOME, mapWith, marker, wms } from "../../packages/ask-copilot/tests/a-map";

type Answer = (path: string, init?: RequestInit) => unknown;
const REST_MS = 600;

const item = (id: string, url = "https://geo.so.ch/api/wms") => ({
  type: "layer",
  id,
  label: `Layer ${id}`,
  source: { type: "wms", url, parameters: { LAYERS: id } },
});

function page(answer: Answer = () => 404): { links: Links; map: MapModel; asked: string[]; said: string[] } {
  const { map } = mapWith();
  const asked: string[] = [];
  const said: string[] = [];
  const fetch = async (path: string, init: RequestInit): Promise<Response> => {
    asked.push(path);
    const told = await answer(path, init);
    if (told === "down") throw new TypeError("no server");
    return typeof told === "number" ? new Response("{}", { status: told }) : Response.json(told);
  };
  const show: Links["around"]["show"] = (snapshot) => {
    map.restore(snapshot);
    if (snapshot.viewpoint) map.viewpoint = snapshot.viewpoint;
  };
  const links = new Links({
    map,
    config: Promise.resolve(DEFAULTS),
    texts: new Texts("de"),
    server: serverOf(fetch),
    show,
    say: (text) => void said.push(text),
  });
  return { links, map, asked, said };
}

async function rest(links: Links): Promise<void> {
  links.follow();
  await vi.advanceTimersByTimeAsync(REST_MS);
}

const ids = (map: MapModel) => map.layers.map(({ id }) => id);

beforeEach(() => {
  vi.useFakeTimers();
  sessionStorage.clear();
  history.replaceState(null, "", "/");
});
afterEach(() => {
  vi.useRealTimers();
});

describe("the address of the page", () => {
  it("follows the map when it has come to rest, without a new entry in the history", async () => {
    const { links, map } = page();
    const entries = history.length;
    await links.begin(false);
    map.viewpoint = HOME;
    for (let n = 0; n < 20; n++) {
      map.viewpoint = { ...HOME, center: [2600000 + n, 1200000] };
      links.follow();
      await vi.advanceTimersByTimeAsync(50);
      expect(location.hash).toBe("");
    }
    await vi.advanceTimersByTimeAsync(REST_MS);
    expect(location.hash).toBe("#map=37795/2600019/1200000&bg=sw");
    expect(history.length).toBe(entries);
  });

  it("brings its layers in its order, asked for by id", async () => {
    const { links, map, asked } = page((path) => item(decodeURIComponent(path.replace("api/layers/", ""))));
    history.replaceState(null, "", "/#map=10000/2600000/1200000&bg=color&layers=b:40,a:off");
    await links.begin(false);
    expect(asked).toEqual(["api/layers/b", "api/layers/a"]);
    expect(map.layers.map(({ id, opacity, visible }) => [id, opacity, visible])).toEqual([
      ["b", 0.4, true],
      ["a", 1, false],
    ]);
    expect(map.background).toBe("color");
    await rest(links);
    expect(location.hash).toBe("#map=10000/2600000/1200000&bg=color&layers=b:40,a:off");
  });

  it("that this tab has written brings nothing: what was saved is newer", async () => {
    const first = page();
    await first.links.begin(false);
    first.map.viewpoint = HOME;
    await rest(first.links);
    const second = page();
    second.map.viewpoint = { ...HOME, resolution: 2 };
    await second.links.begin(true);
    expect(second.map.viewpoint.resolution).toBe(2);
    // In a tab that has nothing saved, it counts.
    const third = page();
    await third.links.begin(false);
    expect(third.map.viewpoint?.resolution).toBeCloseTo(HOME.resolution, 3);
  });

  it("may be the one before when the page is loaded again at once", async () => {
    const first = page();
    first.map.viewpoint = HOME;
    await first.links.begin(false);
    await rest(first.links);
    const before = location.hash;
    first.map.viewpoint = { ...HOME, resolution: 5 };
    await rest(first.links);
    expect(location.hash).not.toBe(before);
    history.replaceState(null, "", `/${before}`);
    const second = page();
    second.map.viewpoint = { ...HOME, resolution: 5 };
    await second.links.begin(true);
    expect(second.map.viewpoint.resolution).toBe(5);
    // One that comes from elsewhere counts.
    history.replaceState(null, "", "/#map=10000/2600000/1200000&bg=sw");
    const third = page();
    await third.links.begin(true);
    expect(third.map.viewpoint?.center).toEqual([2_600_000, 1_200_000]);
  });

  it("asks for no layer that was on the map before", async () => {
    const { links, map, asked } = page();
    await map.apply({ type: "addLayer", payload: wms("a").payload as never });
    await links.begin(true);
    map.restore({ ...map.snapshot(), layers: [] });
    history.replaceState(null, "", "/#map=10000/2600000/1200000&layers=a");
    await links.take();
    expect([asked, ids(map)]).toEqual([[], ["a"]]);
  });

  it("says which layers did not come, and keeps them until the map is changed", async () => {
    const { links, map, said } = page((path) => (path.endsWith("/a") ? item("a") : 404));
    const address = "#map=10000/2600000/1200000&bg=sw&layers=gone,a";
    history.replaceState(null, "", `/${address}`);
    await links.begin(false);
    expect(ids(map)).toEqual(["a"]);
    expect(links.note).toContain("gone");
    expect(said).toEqual([links.note]);
    await rest(links);
    expect(location.hash).toBe(address);
    map.lay("ortho");
    await rest(links);
    expect(location.hash).toBe("#map=10000/2600000/1200000&bg=ortho&layers=a");
  });

  it.each([
    ["of another host", item("a", "https://evil.example/wms")],
    ["with another id", item("b")],
    ["that cannot be read", { id: "a" }],
    ["that is none", null],
  ])("brings no layer %s", async (_, answer) => {
    const { links, map } = page(() => answer);
    history.replaceState(null, "", "/#map=10000/2600000/1200000&layers=a");
    await links.begin(false);
    expect(ids(map)).toEqual([]);
    expect(links.note).toContain("a");
  });

  it("leaves alone what was changed while its layers were on their way", async () => {
    let come: (value: unknown) => void = () => undefined;
    const { links, map } = page(() => new Promise((resolve) => (come = resolve)));
    history.replaceState(null, "", "/#map=10000/2600000/1200000&layers=late");
    const begun = links.begin(false);
    await vi.advanceTimersByTimeAsync(0);
    await map.apply({ type: "addLayer", payload: wms("own").payload as never });
    map.viewpoint = HOME;
    await rest(links);
    expect(location.hash).toContain("layers=late");
    come(item("late"));
    await begun;
    expect(ids(map)).toEqual(["own", "late"]);
    expect(map.viewpoint).toEqual(HOME);
  });

  it("that was typed just as the map came to rest is not written over", async () => {
    const { links, map } = page();
    await links.begin(false);
    map.viewpoint = HOME;
    links.follow();
    location.hash = "#map=10000/2610000/1220000&bg=none";
    // Before the browser has told of it.
    await vi.advanceTimersByTimeAsync(REST_MS);
    expect(location.hash).toBe("#map=10000/2610000/1220000&bg=none");
    await links.take();
    expect([map.background, map.viewpoint.center]).toEqual(["none", [2610000, 1220000]]);
  });

  it("is written after one jumped on the page just as the map came to rest", async () => {
    const { links, map } = page();
    await links.begin(false);
    map.viewpoint = HOME;
    links.follow();
    location.hash = "#message";
    await vi.advanceTimersByTimeAsync(REST_MS);
    expect(location.hash).toBe("#message");
    await links.take();
    await vi.advanceTimersByTimeAsync(REST_MS);
    expect(location.hash).toBe("#map=37795/2600000/1200000&bg=sw");
  });

  it("of a later link wins over layers that are still on their way", async () => {
    let come: (value: unknown) => void = () => undefined;
    const { links, map } = page(() => new Promise((resolve) => (come = resolve)));
    history.replaceState(null, "", "/#map=10000/2600000/1200000&layers=late");
    const begun = links.begin(false);
    await vi.advanceTimersByTimeAsync(0);
    history.replaceState(null, "", "/#map=10000/2610000/1220000&bg=none");
    await links.take();
    come(item("late"));
    await begun;
    expect([ids(map), map.background, map.viewpoint?.center]).toEqual([[], "none", [2610000, 1220000]]);
  });
});

describe("who leaves", () => {
  it("leaves nothing of the map in the address", async () => {
    const { links, map } = page();
    await links.begin(false);
    map.viewpoint = HOME;
    await rest(links);
    expect(location.hash).not.toBe("");
    map.viewpoint = { ...HOME, resolution: 2 };
    links.follow();
    links.leave();
    await vi.advanceTimersByTimeAsync(REST_MS);
    expect(location.hash).toBe("");
    expect(Object.values(sessionStorage).filter(Boolean)).toEqual([]);
  });
});

describe("a link to share", () => {
  it("is short, and says until when it holds", async () => {
    let body = "";
    const { links, map } = page((_, init) => {
      body = String(init?.body);
      return { id: "8mVbX2cQfL0_tNsE", url: "https://evil.example", expiresAt: "2026-12-23T15:04:00Z" };
    });
    map.viewpoint = HOME;
    await map.apply({ type: "addMarker", payload: { id: "m", coord: [2600000, 1200000], label: "Hier" } });
    expect(await links.share()).toEqual({ url: `${location.origin}/#share=8mVbX2cQfL0_tNsE`, until: "2026-12-23", isWhole: true });
    expect(JSON.parse(body)).toEqual({
      view: HOME,
      background: "sw",
      layers: [],
      markers: [{ id: "m", coord: [2600000, 1200000], label: "Hier" }],
      features: [],
    });
  });

  it.each([404, 429, 503, "down", { id: "../x", expiresAt: "2026-12-23" }, { id: "x" }, null])(
    "is a long one when the server answers %j",
    async (answer) => {
      const { links, map } = page(() => answer);
      map.viewpoint = HOME;
      const made = await links.share();
      expect(made).toEqual({ url: `${location.origin}/${toFragment(map.snapshot())}`, until: null, isWhole: true });
    },
  );

  it("shows its map to somebody else, checked again", async () => {
    const shared = {
      view: { center: [2610000, 1220000], resolution: 2 },
      background: "ortho",
      layers: [
        { ...wms("a").payload, opacity: 0.4 },
        { ...wms("b").payload, source: { url: "https://evil.example/wms" } },
      ],
      markers: [marker("m").payload, { id: "n", coord: ["x", 0] }],
      features: [{ id: "t", label: "T", features: { type: "FeatureCollection", features: [] }, count: 0 }, { id: "u" }, 7],
    };
    const { links, map, asked } = page(() => shared);
    history.replaceState(null, "", "/#share=8mVbX2cQfL0_tNsE");
    await links.begin(false);
    expect(asked).toEqual(["api/shares/8mVbX2cQfL0_tNsE"]);
    expect([ids(map), map.layers[0]?.opacity, map.background]).toEqual([["a"], 0.4, "ortho"]);
    expect([map.markers.map(({ id }) => id), map.features.map(({ id }) => id)]).toEqual([["m"], ["t"]]);
    await rest(links);
    expect(location.hash).toMatch(/^#map=7559\/2610000\/1220000&bg=ortho&layers=a:40&pin=/);
  });

  it.each([
    [404, "abgelaufen", false],
    [401, "sobald du angemeldet bist", true],
    [503, "nicht erreichbar", true],
    ["down", "nicht erreichbar", true],
    [[], "nicht erreichbar", true],
  ])("that leads nowhere (%j) is said; it stays in the address when it may work later", async (answer, words, isKept) => {
    const { links, map, said } = page(() => answer);
    history.replaceState(null, "", "/#share=8mVbX2cQfL0_tNsE");
    await links.begin(false);
    expect(links.note).toContain(words);
    expect(said).toEqual([links.note]);
    map.viewpoint = HOME;
    await rest(links);
    expect(location.hash.startsWith("#share=")).toBe(isKept);
  });
});
