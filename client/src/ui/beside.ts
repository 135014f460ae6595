/** Where a card stands that belongs to a place of the map. */

/** Pixels: left, top, right, bottom. */
export type Room = readonly [left: number, top: number, right: number, bottom: number];
export type Size = readonly [width: number, height: number];

export interface Stand {
  left: number;
  top: number;
  /** On which side the place is, and how far below the upper edge of the card; null when it does not stand beside it. */
  place: { side: "left" | "right"; down: number } | null;
}

/** Between the card and its place: the pin has room. */
export const AWAY_PX = 26;
/** Of the tip that points at the place, from the corners of the card. */
const CORNER_PX = 20;

/** Beside the place where there is room, on the right rather than on the left; else in the lower corner of the room, or in the upper one. */
export function beside([x, y]: readonly [number, number], [width, height]: Size, [left, top, right, bottom]: Room): Stand {
  const lowest = Math.max(top, bottom - height);
  const isWithin = x >= left && x <= right && y >= top && y <= bottom;
  const onRight = x + AWAY_PX + width <= right;
  const isLow = isWithin && y > (top + bottom) / 2;
  if (!isWithin || (!onRight && x - AWAY_PX - width < left)) return { left, top: isLow ? top : lowest, place: null };
  const at = Math.min(Math.max(y - Math.min(height / 3, 72), top), lowest);
  const down = Math.min(Math.max(y - at, CORNER_PX), Math.max(CORNER_PX, height - CORNER_PX));
  return onRight
    ? { left: x + AWAY_PX, top: at, place: { side: "left", down } }
    : { left: x - AWAY_PX - width, top: at, place: { side: "right", down } };
}
