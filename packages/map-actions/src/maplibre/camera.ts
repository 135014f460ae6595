/** Moves the map. Targets are kept clear of what lies over it: that is the padding of the map. */

import type { CameraOptions, LngLatBoundsLike, Map as MapLibre } from "maplibre-gl";
import type { View } from "../actions.js";
import type { Camera, Size, Viewpoint } from "../camera.js";
import { middleOf, toDecimetre, type Coord, type Extent } from "../geometry.js";
import { lv95Of, wgs84Of, type LonLat } from "../lv95.js";
import { isStill } from "../stillness.js";
import { resolutionOfZoom } from "../tile-grids.js";

const DURATION_MS = 450;
/** Around an extent, so that nothing touches the edge. */
const MARGIN_PX = 32;
const FINEST_M = 0.1;
/** Metres a pixel at the equator at zoom level 0. */
const ZOOM_0_M = 40_075_016.686 / 512;

export class MapLibreCamera implements Camera {
  constructor(private readonly map: MapLibre) {}

  show({ center, zoom, extent }: View): Promise<void> {
    const resolution = resolutionOfZoom(zoom);
    return this.#go(() => (extent ? this.#cameraFor(extent, resolution) : cameraAt({ center, resolution })));
  }

  jump(viewpoint: Viewpoint): void {
    this.map.jumpTo(cameraAt(viewpoint));
  }

  where(): Viewpoint {
    const { lng, lat } = this.map.getCenter();
    const resolution = resolutionAt(this.map.getZoom(), lat);
    return { center: placeOf([lng, lat]), resolution: Math.max(resolution, FINEST_M) };
  }

  /** How much of the map nothing lies over, in pixels. */
  free(): Size {
    const [left, top, right, bottom] = this.#frame(0);
    return [right - left, bottom - top];
  }

  sees(coord: Coord): boolean {
    const { x, y } = this.map.project([...wgs84Of(coord)]);
    const [left, top, right, bottom] = this.#frame(MARGIN_PX / 2);
    return x >= left && x <= right && y >= top && y <= bottom;
  }

  pixelOf(coord: Coord): Coord | null {
    if (!this.sees(coord)) return null;
    const { left, top } = this.map.getContainer().getBoundingClientRect();
    const { x, y } = this.map.project([...wgs84Of(coord)]);
    return [left + x, top + y];
  }

  /** What nothing lies over, in pixels of the map, and smaller by an inset. */
  #frame(inset: number): [left: number, top: number, right: number, bottom: number] {
    const { left = 0, top = 0, right = 0, bottom = 0 } = this.map.getPadding();
    const { clientWidth, clientHeight } = this.map.getContainer();
    return [left + inset, top + inset, clientWidth - right - inset, clientHeight - bottom - inset];
  }

  #cameraFor(extent: Extent, closest: number): CameraOptions {
    const center = middleOf(extent);
    const at = cameraAt({ center, resolution: closest });
    const options = { padding: MARGIN_PX, maxZoom: at.zoom!, bearing: this.map.getBearing() };
    // A map that is too small for the margin shows the middle.
    return this.map.cameraForBounds(boundsOf(extent), options) ?? { center: at.center! };
  }

  /** Is there in the end whatever happens: a hidden page animates nothing. */
  #go(target: () => CameraOptions): Promise<void> {
    if (isStill()) {
      this.map.jumpTo(target());
      return Promise.resolve();
    }
    this.map.stop();
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.map.off("moveend", done);
        this.map.off("resize", resized);
        resolve();
      };
      // An animation of MapLibre misses its target on a map of another size.
      const resized = (): void => void this.map.jumpTo(target());
      // It ends the animation, and so it is done.
      const timer = setTimeout(resized, DURATION_MS * 3);
      this.map.on("moveend", done);
      this.map.on("resize", resized);
      this.map.easeTo({ ...target(), duration: DURATION_MS });
    });
  }
}

/** To a decimetre. */
export function placeOf(lonLat: LonLat): Coord {
  const [east, north] = lv95Of(lonLat);
  return [toDecimetre(east), toDecimetre(north)];
}

/** The zoom level at which a pixel is so many metres on the ground. */
export function zoomAt(resolution: number, latitude: number): number {
  return Math.log2((ZOOM_0_M * cosine(latitude)) / resolution);
}

/** So many digits that the same place again is the same viewpoint. */
function resolutionAt(zoom: number, latitude: number): number {
  return Number(((ZOOM_0_M * cosine(latitude)) / 2 ** zoom).toPrecision(7));
}

function cameraAt({ center, resolution }: Viewpoint): CameraOptions {
  const [longitude, latitude] = wgs84Of(center);
  return { center: [longitude, latitude], zoom: zoomAt(resolution, latitude) };
}

function cosine(degrees: number): number {
  return Math.cos((degrees * Math.PI) / 180);
}

/** In degrees the edges of an extent are bent: their middles lie outside of the corners. */
function boundsOf([west, south, east, north]: Extent): LngLatBoundsLike {
  const middle = (west + east) / 2;
  const halfway = (south + north) / 2;
  const around: Coord[] = [west, middle, east].flatMap((x): Coord[] => [
    [x, south],
    [x, halfway],
    [x, north],
  ]);
  const points = around.map(wgs84Of);
  const longitudes = points.map(([longitude]) => longitude);
  const latitudes = points.map(([, latitude]) => latitude);
  return [Math.min(...longitudes), Math.min(...latitudes), Math.max(...longitudes), Math.max(...latitudes)];
}
