import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Retries } from "../src/retries.js";

describe("what a map service has not sent", () => {
  let retries: Retries;
  const again = vi.fn();
  /** Never comes. */
  const fail = (): void => {
    again();
    retries.missed(fail);
  };

  beforeEach(() => {
    vi.useFakeTimers();
    again.mockReset();
    retries = new Retries();
  });
  afterEach(() => {
    retries.end();
    vi.useRealTimers();
  });

  it("is asked for again, ever more rarely", () => {
    retries.missed(fail);
    vi.advanceTimersByTime(3_000);
    expect(again).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(5_999);
    expect(again).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(1);
    expect(again).toHaveBeenCalledTimes(2);
    vi.advanceTimersByTime(3_600_000);
    expect(again.mock.calls.length).toBeLessThan(70);
    expect(again.mock.calls.length).toBeGreaterThan(55);
  });

  it("is asked for soon when something else has come", () => {
    retries.missed(fail);
    vi.advanceTimersByTime(60_000);
    again.mockReset();
    retries.came();
    vi.advanceTimersByTime(3_000);
    expect(again).toHaveBeenCalledTimes(1);
  });

  it("is asked for at once when the network is back", () => {
    retries.missed(again);
    dispatchEvent(new Event("online"));
    expect(again).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(60_000);
    expect(again).toHaveBeenCalledTimes(1);
  });

  it("waits while nobody looks at the page", () => {
    const hidden = vi.spyOn(document, "hidden", "get").mockReturnValue(true);
    retries.missed(again);
    vi.advanceTimersByTime(600_000);
    expect(again).not.toHaveBeenCalled();
    hidden.mockRestore();
    vi.advanceTimersByTime(60_000);
    expect(again).toHaveBeenCalledTimes(1);
  });

  it("is not asked for when nobody wants it any more", () => {
    retries.missed(again);
    retries.end();
    dispatchEvent(new Event("online"));
    vi.advanceTimersByTime(600_000);
    expect(again).not.toHaveBeenCalled();
  });

  it("is forgotten except for the newest, of which there are as many as on a screen", () => {
    for (let n = 0; n < 500; n++) retries.missed(again);
    vi.advanceTimersByTime(3_000);
    expect(again).toHaveBeenCalledTimes(60);
  });
});
