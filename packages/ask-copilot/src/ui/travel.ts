/** What is said is led to its place on the map. */

import { isStill, type Coord } from "@ask-sogis/map-actions";

const TRAVEL_MS = 200;

/** A dot goes from an element to a point of the page, in pixels. False for those who want nothing to move. */
export async function travel(from: Element, [x, y]: Coord): Promise<boolean> {
  if (isStill()) return false;
  const { left, top, width, height } = from.getBoundingClientRect();
  const dot = document.createElement("span");
  dot.className = "traveller";
  dot.ariaHidden = "true";
  // Where the styles of the element are.
  const root = from.getRootNode();
  (root instanceof ShadowRoot ? root : document.body).append(dot);
  const way = [`${left + width / 2}px ${top + height / 2}px`, `${x}px ${y}px`];
  const easing = getComputedStyle(dot).getPropertyValue("--easing");
  try {
    await dot.animate({ translate: way, scale: [0.4, 1] }, { duration: TRAVEL_MS, easing }).finished;
  } finally {
    dot.remove();
  }
  return true;
}
