/** Moves the view. Targets are kept clear of what lies over the map: that is the padding of the view. */

import { buffer, containsCoordinate, getHeight, getWidth } from "ol/extent";
import type OlView from "ol/View";
import type { View } from "./actions";
import type { Coord, Extent } from "./geometry";
import type { Camera, Size, Viewpoint } from "./model.svelte";
import { isStill } from "./stillness";
import { resolutionOfZoom } from "./tile-grids";

/** Room at the edges that other things lie over, in pixels: top, right, bottom, left. */
export type Padding = readonly [number, number, number, number];

const DURATION_MS = 450;
/** Around an extent, so that nothing touches the edge. */
const MARGIN_PX = 32;
const FINEST_M = 0.1;

export class OlCamera implements Camera {
  constructor(
    private readonly view: OlView,
    private readonly whole: Extent,
    private readonly pixel: (coord: Coord) => Coord | null,
  ) {}

  async show({ center, zoom, extent }: View): Promise<void> {
    const closest = resolutionOfZoom(zoom);
    if (extent) {
      await this.#moved((done) =>
        this.view.fit([...extent], {
          minResolution: closest,
          padding: [MARGIN_PX, MARGIN_PX, MARGIN_PX, MARGIN_PX],
          duration: duration(),
          callback: done,
        }),
      );
      return;
    }
    await this.#moved((done) => {
      const target = { center: [...center], resolution: closest, duration: duration() };
      if (target.duration === 0) {
        this.jump({ center, resolution: closest });
        done();
      } else this.view.animate(target, done);
    });
  }

  jump({ center, resolution }: Viewpoint): void {
    this.view.cancelAnimations();
    this.view.setResolution(resolution);
    this.view.setCenter([...center]);
  }

  where(): Viewpoint {
    const [east = 0, north = 0] = this.view.getCenter() ?? [];
    const resolution = Math.max(this.view.getResolution() ?? 0, FINEST_M);
    return { center: [toDecimetre(east), toDecimetre(north)], resolution };
  }

  /** How much of the map nothing lies over, in pixels. */
  free(): Size {
    const resolution = this.view.getResolution() ?? 1;
    const extent = this.view.calculateExtent();
    return [getWidth(extent) / resolution, getHeight(extent) / resolution];
  }

  sees(coord: Coord): boolean {
    return containsCoordinate(buffer(this.view.calculateExtent(), (-MARGIN_PX / 2) * this.where().resolution), [...coord]);
  }

  pixelOf(coord: Coord): Coord | null {
    return this.sees(coord) ? this.pixel(coord) : null;
  }

  wholeCanton(animated: boolean): void {
    this.view.fit([...this.whole], { padding: [MARGIN_PX, MARGIN_PX, MARGIN_PX, MARGIN_PX], duration: animated ? duration() : 0 });
  }

  zoomBy(levels: number): void {
    this.view.animate({ zoom: Math.round(this.view.getZoom() ?? 0) + levels, duration: duration() / 2 });
  }

  /** Resolves in the end whatever happens: a hidden page animates nothing. */
  #moved(start: (done: () => void) => void): Promise<void> {
    return new Promise((resolve) => {
      setTimeout(resolve, DURATION_MS * 3);
      start(() => resolve());
    });
  }
}

function toDecimetre(metres: number): number {
  return Math.round(metres * 10) / 10;
}

function duration(): number {
  return isStill() ? 0 : DURATION_MS;
}
