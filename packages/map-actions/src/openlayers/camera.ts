/** Moves the view. Targets are kept clear of what lies over the map: that is the padding of the view. */

import type OlMap from "ol/Map.js";
import type OlView from "ol/View.js";
import type { View } from "../actions.js";
import type { Camera, Size, Viewpoint } from "../camera.js";
import { middleOf, toDecimetre, type Coord, type Extent } from "../geometry.js";
import { isStill } from "../stillness.js";
import { resolutionOfZoom } from "../tile-grids.js";
import type { Plane } from "./projection.js";

const DURATION_MS = 450;
/** Around an extent, so that nothing touches the edge. */
const MARGIN_PX = 32;
const MARGINS = [MARGIN_PX, MARGIN_PX, MARGIN_PX, MARGIN_PX];
const FINEST_M = 0.1;

export class OlCamera implements Camera {
  constructor(
    private readonly map: OlMap,
    private readonly plane: Plane,
  ) {}

  async show({ center, zoom, extent }: View): Promise<void> {
    const closest = resolutionOfZoom(zoom);
    if (extent) {
      const minResolution = this.plane.resolutionOf(closest, middleOf(extent));
      // What is not on the screen yet is fitted once it is.
      const [width = 0, height = 0] = this.map.getSize() ?? [];
      if (width * height === 0) this.map.once("change:size", () => this.#fit(extent, { minResolution, duration: 0 }));
      await this.#moved((duration, callback) => this.#fit(extent, { minResolution, duration, callback }));
      return;
    }
    await this.#moved((duration, done) => {
      if (duration === 0) {
        this.jump({ center, resolution: closest });
        done();
        return;
      }
      // A view that has only certain resolutions does not come to one of them by itself.
      const resolution = this.#view.getConstrainedResolution(this.plane.resolutionOf(closest, center));
      this.#view.animate({ center: this.plane.toMap(center), resolution, duration }, done);
    });
  }

  jump({ center, resolution }: Viewpoint): void {
    this.#view.cancelAnimations();
    this.#view.setResolution(this.plane.resolutionOf(resolution, center));
    this.#view.setCenter(this.plane.toMap(center));
  }

  where(): Viewpoint {
    const [east, north] = this.plane.toLv95(this.#view.getCenter() ?? [0, 0]);
    const resolution = Math.max(this.plane.metresOf(this.#view.getResolution() ?? 0), FINEST_M);
    return { center: [toDecimetre(east), toDecimetre(north)], resolution };
  }

  /** How much of the map nothing lies over, in pixels. */
  free(): Size {
    const [above = 0, right = 0, below = 0, left = 0] = this.#view.padding ?? [];
    const [width = 0, height = 0] = this.map.getSize() ?? [];
    return [width - left - right, height - above - below];
  }

  sees(coord: Coord): boolean {
    const [width, height] = this.free();
    const [right, below] = this.#fromMiddle(coord);
    return Math.abs(right) <= (width - MARGIN_PX) / 2 && Math.abs(below) <= (height - MARGIN_PX) / 2;
  }

  pixelOf(coord: Coord): Coord | null {
    if (!this.sees(coord)) return null;
    const { left, top } = this.map.getViewport()!.getBoundingClientRect();
    // It is of what is drawn, which may lag behind.
    this.map.renderSync();
    const [x, y] = this.map.getPixelFromCoordinate(this.plane.toMap(coord)) ?? [];
    return x === undefined || y === undefined ? null : [left + x, top + y];
  }

  fit(extent: Extent, isAnimated: boolean): void {
    this.#fit(extent, { duration: isAnimated ? duration() : 0 });
  }

  zoomBy(levels: number): void {
    this.#view.animate({ zoom: Math.round(this.#view.getZoom() ?? 0) + levels, duration: duration() / 2 });
  }

  get #view(): OlView {
    return this.map.getView();
  }

  /** How far from the middle of what nothing lies over, in pixels to the right and down. */
  #fromMiddle(coord: Coord): [right: number, below: number] {
    const [x, y] = this.plane.toView(coord);
    const [middleX, middleY] = this.plane.toView(this.plane.toLv95(this.#view.getCenter() ?? [0, 0]));
    const [east, north] = [x - middleX, y - middleY];
    const [cosine, sine] = [Math.cos(this.#view.getRotation()), Math.sin(this.#view.getRotation())];
    const resolution = this.#view.getResolution() ?? 1;
    return [(east * cosine + north * sine) / resolution, (east * sine - north * cosine) / resolution];
  }

  #fit(extent: Extent, options: Parameters<OlView["fit"]>[1]): void {
    this.#view.fit(this.plane.extentToMap(extent), { padding: MARGINS, ...options });
  }

  /** Is there in the end whatever happens: a hidden page animates nothing. */
  #moved(start: (duration: number, done: () => void) => void): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#view.cancelAnimations();
        start(0, done);
      }, DURATION_MS * 3);
      start(duration(), done);
    });
  }
}

function duration(): number {
  return isStill() ? 0 : DURATION_MS;
}
