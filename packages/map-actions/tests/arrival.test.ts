import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Arrival, type LayerState } from "../src/arrival.js";

const LONG_MS = 60_000;

function layer(): { arrival: Arrival; states: LayerState[] } {
  const states: LayerState[] = [];
  return { arrival: new Arrival((state) => states.push(state)), states };
}

describe("the pictures of a layer", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("are loading until all of them have come", () => {
    const { arrival, states } = layer();
    arrival.asked(1);
    arrival.asked(2);
    arrival.came(1);
    expect(states).toEqual(["loading"]);
    arrival.came(2);
    expect(states).toEqual(["loading", "loaded"]);
    vi.advanceTimersByTime(LONG_MS);
    expect(states).toHaveLength(2);
  });

  it("are there when some have come: a service may have none elsewhere", () => {
    const { arrival, states } = layer();
    arrival.asked(1);
    arrival.asked(2);
    arrival.came(1);
    arrival.failed(2);
    expect(states).toEqual(["loading", "loaded"]);
  });

  it("stay away when all have failed, and while they are asked for again", () => {
    const { arrival, states } = layer();
    arrival.asked(1);
    arrival.failed(1);
    arrival.asked(1);
    arrival.failed(1);
    expect(states).toEqual(["loading", "silent"]);
    arrival.asked(1);
    arrival.came(1);
    expect(states).toEqual(["loading", "silent", "loading", "loaded"]);
  });

  it("stay away when nothing comes for long, and come late all the same", () => {
    const { arrival, states } = layer();
    arrival.asked(1);
    vi.advanceTimersByTime(LONG_MS);
    expect(states).toEqual(["loading", "silent"]);
    arrival.came(1);
    expect(states.at(-1)).toBe("loaded");
  });

  it("that are slow, but come, do not stay away", () => {
    const { arrival, states } = layer();
    for (let n = 0; n < 5; n++) arrival.asked(n);
    for (let n = 0; n < 5; n++) {
      vi.advanceTimersByTime(6_000);
      arrival.came(n);
    }
    expect(states).toEqual(["loading", "loaded"]);
  });

  it("are there when the others are not waited for any more", () => {
    const { arrival, states } = layer();
    arrival.asked(1);
    arrival.asked(2);
    arrival.came(1);
    arrival.dropped(2);
    expect(states).toEqual(["loading", "loaded"]);
  });

  it("do not stay away when none of them is waited for any more", () => {
    const { arrival, states } = layer();
    arrival.asked(1);
    arrival.dropped(1);
    vi.advanceTimersByTime(LONG_MS);
    expect(states).toEqual(["loading"]);
    arrival.asked(2);
    arrival.failed(2);
    expect(states).toEqual(["loading", "silent"]);
  });

  it("that nobody waits for any more tell nothing", () => {
    const { arrival, states } = layer();
    arrival.asked(1);
    arrival.forget();
    arrival.failed(1);
    vi.advanceTimersByTime(LONG_MS);
    expect(states).toEqual(["loading"]);
  });
});
