/** Where the options of a choice are, so that all of them can be seen before one is chosen. */

import type { Choice } from "../chat/contract";
import { around, boundsOf, middleOf, readAction, type View, type Where } from "@ask-sogis/map-actions";

/** No closer than a neighbourhood. */
const CLOSEST_ZOOM = 18;

/** One place an option in the same order, and the view of all; nothing unless every option has a place. */
export function pointsOf(choices: readonly Choice[]): { places: readonly Where[]; view: View | null } {
  const places = choices.map((choice) => placeOf(choice.mapActions)).filter((place) => place !== null);
  const extent = around(
    places.flatMap(({ coord, extent: whole }) =>
      whole
        ? [
            [whole[0], whole[1]],
            [whole[2], whole[3]],
          ]
        : [coord],
    ),
  );
  if (places.length !== choices.length || extent === null) return { places: [], view: null };
  return { places, view: { center: middleOf(extent), zoom: CLOSEST_ZOOM, extent } };
}

/** Where its marker is, else the middle of its outline. */
function placeOf(actions: readonly unknown[]): Where | null {
  let [coord, geometry]: [Where["coord"] | null, object | null] = [null, null];
  for (const value of actions) {
    try {
      const action = readAction(value);
      if (action.type === "addMarker") coord ??= action.payload.coord;
      if (action.type === "addLayer" && action.payload.source.type === "geojson") geometry ??= action.payload.source.data as object;
    } catch {
      // What cannot be done shows no place.
    }
  }
  const extent = boundsOf(geometry);
  coord ??= extent && middleOf(extent);
  return coord && { coord, extent, geometry };
}
