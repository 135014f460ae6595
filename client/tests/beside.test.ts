import { describe, expect, it } from "vitest";
import { AWAY_PX, beside, type Room, type Size } from "../src/ui/beside";

const ROOM: Room = [440, 12, 1376, 870];
const CARD: Size = [332, 300];

describe("a card beside its place", () => {
  it("stands on the right, and points to the left", () => {
    expect(beside([600, 400], CARD, ROOM)).toEqual({ left: 600 + AWAY_PX, top: 328, place: { side: "left", down: 72 } });
  });

  it("stands on the left where the right has no room", () => {
    expect(beside([1200, 400], CARD, ROOM)).toMatchObject({ left: 1200 - AWAY_PX - 332, place: { side: "right" } });
  });

  it.each([
    [600, 14],
    [600, 868],
    [1375, 20],
    [441, 869],
  ])("stays within its room and clear of %i, %i", (x, y) => {
    const { left, top, place } = beside([x, y], CARD, ROOM);
    expect(left).toBeGreaterThanOrEqual(ROOM[0]);
    expect(left + CARD[0]).toBeLessThanOrEqual(ROOM[2]);
    expect(top).toBeGreaterThanOrEqual(ROOM[1]);
    expect(top + CARD[1]).toBeLessThanOrEqual(ROOM[3]);
    expect(left > x || left + CARD[0] < x).toBe(true);
    expect(place?.down).toBeLessThanOrEqual(CARD[1]);
  });

  it("is in the corner when the place is out of sight or there is no room beside it", () => {
    expect(beside([100, 400], CARD, ROOM)).toEqual({ left: 440, top: 570, place: null });
    expect(beside([600, 400], CARD, [440, 12, 800, 870])).toEqual({ left: 440, top: 570, place: null });
    expect(beside([600, 600], CARD, [440, 12, 800, 870])).toEqual({ left: 440, top: 12, place: null });
  });
});
