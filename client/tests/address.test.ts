import { describe, expect, it } from "vitest";
import { readLayer, type LayerEntry } from "@ask-sogis/map-actions";
import type { Snapshot } from "@ask-sogis/copilot/map/model.svelte";
import { fromAddress, toAddress } from "../src/session/address";
import { outline, wms } from "../../packages/ask-copilot/tests/a-map";

const entry = (action: { payload: Record<string, unknown> }, more: Partial<LayerEntry> = {}): LayerEntry => ({
  ...readLayer(action.payload),
  opacity: 1,
  ...more,
});
const whole: Snapshot = {
  background: "ortho",
  layers: [
    entry(outline),
    entry(wms("ch.so.wald")),
    entry(wms("ch.so.b"), { opacity: 0.6 }),
    entry(wms("c"), { opacity: 0.25, visible: false }),
  ],
  markers: [{ id: "addr-1", coord: [2605899.3, 1229278], label: "Langendorfstrasse 19b" }],
  features: [],
  viewpoint: { center: [2605899.4, 1229278.2], resolution: 2.5 },
};
const of = (rest: string, view = "10000/2600000/1200000") => fromAddress(`#map=${view}${rest}`);

describe("the address of a map", () => {
  it("is short and to be read, and says nothing of what was asked", () => {
    expect(toAddress(whole)).toBe("#map=9449/2605899/1229278&bg=ortho&layers=ch.so.wald,ch.so.b:60,c:25:off&pin=2605899.3/1229278");
  });

  it("brings back what it says", () => {
    const read = fromAddress(toAddress(whole)!)!;
    expect(read.background).toBe("ortho");
    expect(read.layers).toEqual([
      { id: "ch.so.wald", opacity: 1, visible: true },
      { id: "ch.so.b", opacity: 0.6, visible: true },
      { id: "c", opacity: 0.25, visible: false },
    ]);
    expect(read.markers).toEqual([{ id: "pin-1", coord: [2605899.3, 1229278] }]);
    expect(read.viewpoint?.center).toEqual([2605899, 1229278]);
    expect(read.viewpoint?.resolution).toBeCloseTo(2.5, 3);
  });

  it.each([0.1, 0.13, 0.5, 1, 2.5, 17.3, 137.234, 650])("is the same again where it leads to, at %d metres a pixel", (resolution) => {
    const address = toAddress({ ...whole, viewpoint: { center: [2605899.4, 1229278.2], resolution } })!;
    const read = fromAddress(address)!;
    expect(toAddress({ ...whole, viewpoint: read.viewpoint })).toBe(address);
  });

  it("has decimetres where they can be seen", () => {
    expect(toAddress({ ...whole, layers: [], markers: [], viewpoint: { center: [2605899.4, 1229278.26], resolution: 0.25 } })).toBe(
      "#map=945/2605899.4/1229278.3&bg=ortho",
    );
  });

  it("is none as long as there is no place", () => {
    expect(toAddress({ ...whole, viewpoint: null })).toBeNull();
  });

  it.each(["a,b", "a:off", "a&bg=none", "Wald – «Typ»", "100%", "a/b#c?d=e+f"])("keeps the id %s apart from its own signs", (id) => {
    const address = toAddress({ ...whole, layers: [entry(wms(id), { opacity: 0.5 }), entry(wms("z"))] })!;
    expect(fromAddress(address)?.layers).toEqual([
      { id, opacity: 0.5, visible: true },
      { id: "z", opacity: 1, visible: true },
    ]);
  });
});

describe("an address of a stranger", () => {
  it.each([
    "",
    "#",
    "#message",
    "#map=",
    "#map=e30",
    "#map=10000",
    "#map=10000/2600000",
    "#map=10000/2600000/1200000/1",
    "#map=-1/2600000/1200000",
    "#map=1e9/2600000/1200000",
    "#map=NaN/2600000/1200000",
    "#map=10000/2600000/x",
    `#map=10000/2600000/1200000&layers=${"a,".repeat(20_000)}`,
  ])("is none: %.40s", (fragment) => {
    expect(fromAddress(fragment)).toBeNull();
  });

  it.each(["10000/1/1", "0/2600000/1200000", "999999999/2600000/1200000", "10000/1200000/2600000"])(
    "leads to no place that is on no map: %s",
    (view) => {
      expect(of("&bg=color", view)).toMatchObject({ viewpoint: null, background: "color" });
    },
  );

  it("brings what is right in it", () => {
    expect(of("&bg=pink&layers=,%,%zz,a:900,b:x:off,a&pin=1/2,x/y,2600000/1200000,2600000/1e6&x=<script>")).toEqual({
      viewpoint: expect.objectContaining({ center: [2600000, 1200000] }),
      background: "sw",
      layers: [
        { id: "a", opacity: 1, visible: true },
        { id: "b", opacity: 1, visible: false },
      ],
      markers: [{ id: "pin-1", coord: [2600000, 1200000] }],
    });
  });

  it("brings no more than a map can have", () => {
    const many = Array.from({ length: 200 }, (_, n) => n);
    const read = of(`&layers=${many.join(",")}&pin=${many.map((n) => `${2600000 + n}/1200000`).join(",")}`)!;
    expect([read.layers.length, read.markers.length]).toEqual([50, 8]);
    expect(of(`&layers=${"x".repeat(257)}`)?.layers).toEqual([]);
  });
});
