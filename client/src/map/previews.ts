/** Where the options of a choice are, so that all of them can be seen before one is chosen. */

import type { Choice } from "../chat/contract";
import type { View } from "./actions";
import { readAction } from "./actions";
import { around, type Coord } from "./geometry";

/** No closer than a neighbourhood. */
const CLOSEST_ZOOM = 18;

/** One place an option in the same order, and the view of all; nothing unless every option has a place. */
export function pointsOf(choices: readonly Choice[]): { places: readonly Coord[]; view: View | null } {
  const places = choices.map((choice) => placeOf(choice.mapActions)).filter((place) => place !== null);
  const extent = around(places);
  if (places.length !== choices.length || extent === null) return { places: [], view: null };
  const center: Coord = [(extent[0] + extent[2]) / 2, (extent[1] + extent[3]) / 2];
  return { places, view: { center, zoom: CLOSEST_ZOOM, extent } };
}

function placeOf(actions: readonly unknown[]): Coord | null {
  for (const value of actions) {
    try {
      const action = readAction(value);
      if (action.type === "addMarker") return action.payload.coord;
    } catch {
      // What cannot be done shows no place.
    }
  }
  return null;
}
