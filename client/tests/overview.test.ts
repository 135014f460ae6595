import { flushSync, mount } from "svelte";
import { expect, it } from "vitest";
import type { Place } from "../src/map/config";
import type { Viewpoint } from "@ask-sogis/map-actions";
import Overview from "../src/ui/Overview.svelte";

it("shows places of the same name, each at its point", () => {
  const places: Place[] = [
    ["Buchs", 2_600_000, 1_200_000, 1],
    ["Buchs", 2_610_000, 1_210_000, 1],
  ];
  const viewpoint: Viewpoint = { center: [2_605_000, 1_205_000], resolution: 10 };
  mount(Overview, { target: document.body, props: { places, extent: [2_590_000, 1_190_000, 2_620_000, 1_220_000], viewpoint } });
  flushSync();
  expect(document.querySelectorAll("circle:not(.here)")).toHaveLength(2);
});
