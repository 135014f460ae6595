/** From what satellites say (WGS84) to LV95, by the approximate formulas that swisstopo publishes: right to about a metre. */

import { isOnMap, type Coord } from "./geometry";

/** Further away the formulas are far off, and there is no map. */
const AROUND_SWITZERLAND = { south: 45, north: 48.5, west: 5, east: 11.5 };

/** Degrees. Null where there is no map of Switzerland. */
export function toLv95(latitude: number, longitude: number): Coord | null {
  const { south, north, west, east } = AROUND_SWITZERLAND;
  if (!(latitude >= south && latitude <= north && longitude >= west && longitude <= east)) return null;
  // From Bern, in units of 10 000 seconds of arc.
  const phi = (latitude * 3600 - 169028.66) / 10000;
  const lambda = (longitude * 3600 - 26782.5) / 10000;
  const coord: Coord = [
    2600072.37 + 211455.93 * lambda - 10938.51 * lambda * phi - 0.36 * lambda * phi ** 2 - 44.54 * lambda ** 3,
    1200147.07 + 308807.95 * phi + 3745.25 * lambda ** 2 + 76.63 * phi ** 2 - 194.56 * lambda ** 2 * phi + 119.79 * phi ** 3,
  ];
  return isOnMap(coord) ? coord : null;
}
