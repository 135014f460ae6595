/**
 * Between what satellites say (WGS84) and LV95, both ways to about a millimetre where there is a map: the Swiss oblique conformal
 * cylindrical projection of the Bessel ellipsoid, and the shift between the two ellipsoids, as swisstopo publishes them.
 */

import { isOnMap, type Coord } from "./geometry.js";

/** Degrees, east before north. */
export type LonLat = readonly [longitude: number, latitude: number];

interface Ellipsoid {
  /** Metres. */
  a: number;
  /** The square of the eccentricity. */
  e2: number;
}

const BESSEL: Ellipsoid = { a: 6_377_397.155, e2: 0.006674372230614 };
const WGS84: Ellipsoid = { a: 6_378_137, e2: 0.0066943799901413165 };
/** From the middle of the one to that of the other, metres. */
const SHIFT = [674.374, 15.056, 405.346] as const;

const RADIANS = Math.PI / 180;
const FALSE_EAST = 2_600_000;
const FALSE_NORTH = 1_200_000;
/** The old observatory of Bern. */
const PHI_0 = (46 + 57 / 60 + 8.66 / 3600) * RADIANS;
const LAMBDA_0 = (7 + 26 / 60 + 22.5 / 3600) * RADIANS;
const E = Math.sqrt(BESSEL.e2);
/** The sphere that the ellipsoid is projected on first. */
const R = (BESSEL.a * Math.sqrt(1 - BESSEL.e2)) / (1 - BESSEL.e2 * Math.sin(PHI_0) ** 2);
const ALPHA = Math.sqrt(1 + (BESSEL.e2 / (1 - BESSEL.e2)) * Math.cos(PHI_0) ** 4);
const B_0 = Math.asin(Math.sin(PHI_0) / ALPHA);
const K = isometric(B_0) - ALPHA * (isometric(PHI_0) - E * Math.atanh(E * Math.sin(PHI_0)));

export function lv95Of([longitude, latitude]: LonLat): Coord {
  const [phi, lambda] = shifted(latitude * RADIANS, longitude * RADIANS, WGS84, BESSEL, -1);
  const s = ALPHA * (isometric(phi) - E * Math.atanh(E * Math.sin(phi))) + K;
  const b = 2 * (Math.atan(Math.exp(s)) - Math.PI / 4);
  const l = ALPHA * (lambda - LAMBDA_0);
  const east = Math.atan2(Math.sin(l), Math.sin(B_0) * Math.tan(b) + Math.cos(B_0) * Math.cos(l));
  const north = Math.asin(Math.cos(B_0) * Math.sin(b) - Math.sin(B_0) * Math.cos(b) * Math.cos(l));
  return [FALSE_EAST + R * east, FALSE_NORTH + R * Math.atanh(Math.sin(north))];
}

export function wgs84Of([east, north]: Coord): LonLat {
  const l = (east - FALSE_EAST) / R;
  const b = 2 * (Math.atan(Math.exp((north - FALSE_NORTH) / R)) - Math.PI / 4);
  const onSphere = Math.asin(Math.cos(B_0) * Math.sin(b) + Math.sin(B_0) * Math.cos(b) * Math.cos(l));
  const lambda = LAMBDA_0 + Math.atan2(Math.sin(l), Math.cos(B_0) * Math.cos(l) - Math.sin(B_0) * Math.tan(b)) / ALPHA;
  const s = (isometric(onSphere) - K) / ALPHA;
  let phi = onSphere;
  for (let n = 0; n < 8; n++) phi = 2 * (Math.atan(Math.exp(s + E * Math.atanh(E * Math.sin(phi)))) - Math.PI / 4);
  const [latitude, longitude] = shifted(phi, lambda, BESSEL, WGS84, 1);
  return [longitude / RADIANS, latitude / RADIANS];
}

/** Degrees. Null where there is no map of Switzerland. */
export function toLv95(latitude: number, longitude: number): Coord | null {
  if (!(Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180)) return null;
  const coord = lv95Of([longitude, latitude]);
  return isOnMap(coord) ? coord : null;
}

function isometric(latitude: number): number {
  return Math.log(Math.tan(Math.PI / 4 + latitude / 2));
}

/** A place at height 0 of one ellipsoid, on the other one. Radians. */
function shifted(phi: number, lambda: number, from: Ellipsoid, to: Ellipsoid, sign: 1 | -1): [phi: number, lambda: number] {
  const n = from.a / Math.sqrt(1 - from.e2 * Math.sin(phi) ** 2);
  const x = n * Math.cos(phi) * Math.cos(lambda) + sign * SHIFT[0];
  const y = n * Math.cos(phi) * Math.sin(lambda) + sign * SHIFT[1];
  const z = n * (1 - from.e2) * Math.sin(phi) + sign * SHIFT[2];
  const p = Math.hypot(x, y);
  let latitude = Math.atan2(z, p * (1 - to.e2));
  for (let k = 0; k < 6; k++) {
    const radius = to.a / Math.sqrt(1 - to.e2 * Math.sin(latitude) ** 2);
    latitude = Math.atan2(z + to.e2 * radius * Math.sin(latitude), p);
  }
  return [latitude, Math.atan2(y, x)];
}
