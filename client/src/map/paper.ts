/** A second drawing of what is on the map, for paper or for a picture: sharper, always light, and not to be touched. */

import { LIGHT, resolutionOfScale, type Contents, type Coord, type LayerState } from "@ask-sogis/map-actions";
import type { Seen } from "./backdrop";
import type { MapConfig } from "./config";
import { Drawing } from "./drawing";
import { measureLayer, showMeasured } from "./measure-layer";
import type { Measured } from "./measuring";

interface OnPaper extends Contents {
  point: Coord | null;
  measured: Measured | null;
}

/** What does not come in this time is told to be missing. */
const PATIENCE_MS = 20_000;
/** 192 dots an inch. */
const PIXEL_RATIO = 2;
/** Tiles are taken about that much finer than on a screen, so that their letters can still be read: 150 dots an inch. */
const SHARPER = 1.6;

export class Paper {
  readonly drawing: Drawing;
  readonly #states = new Map<string, LayerState>();
  #seen: Seen = { attributions: [], isBlank: true, isDown: false };
  #ofRegion: readonly string[] = [];
  #settled: () => void = () => undefined;

  /** With `isReadable` the picture can be saved, but services that do not allow that send nothing. `tell` hears of new sources. */
  constructor(
    target: HTMLElement,
    config: MapConfig,
    private readonly contents: OnPaper,
    isReadable: boolean,
    tell: (sources: readonly string[]) => void = () => undefined,
  ) {
    const nothing = (): void => undefined;
    const listener = {
      moved: nothing,
      pointed: nothing,
      clicked: nothing,
      unclicked: nothing,
      hovered: nothing,
      loading: (id: string, state: LayerState) => {
        this.#states.set(id, state);
        this.#settle();
      },
      backgroundSeen: (seen: Seen) => {
        this.#seen = seen;
        tell(this.sources);
        this.#settle();
      },
      regionSeen: (names: readonly string[]) => {
        this.#ofRegion = names;
        tell(this.sources);
      },
    };
    const still = { pixelRatio: PIXEL_RATIO, sharper: SHARPER, isReadable };
    this.drawing = new Drawing(target, config, LIGHT, listener, null, [0, 0, 0, 0], still);
    this.drawing.show(contents);
    this.drawing.showPoint(contents.point);
    if (contents.measured) {
      const layer = measureLayer();
      this.drawing.map.addLayer(layer);
      showMeasured(layer, contents.measured, null, LIGHT);
    }
  }

  /** Whose data there are. */
  get sources(): readonly string[] {
    const ofLayers = this.contents.layers.filter(({ visible }) => visible).map(({ attribution }) => attribution);
    return [...new Set([...this.#seen.attributions, ...ofLayers, ...this.#ofRegion])].filter((name) => name !== undefined);
  }

  /** The layers that do not come, by what they are called; the background is `null`. */
  get missing(): readonly (string | null)[] {
    const layers = this.contents.layers.filter(({ id, visible }) => visible && !["loaded", undefined].includes(this.#states.get(id)));
    return [...(this.#seen.isDown ? [null] : []), ...layers.map(({ id, label }) => label ?? id)];
  }

  show(center: Coord, scale: number): void {
    this.drawing.camera.jump({ center, resolution: resolutionOfScale(scale) });
  }

  /** When all is there, or nothing is to be waited for any more. */
  complete(): Promise<void> {
    const map = this.drawing.map;
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, PATIENCE_MS);
      this.#settled = () => {
        clearTimeout(timer);
        resolve();
      };
      map.once("rendercomplete", this.#settled);
      map.render();
    });
  }

  /** What has failed is asked for again, and nothing is ever complete: it is missing once the rest is there. */
  #settle(): void {
    const isThere = this.contents.background === "none" || this.#seen.isDown || !this.#seen.isBlank;
    const isOnItsWay = this.contents.layers.some(({ id, visible }) => visible && this.#states.get(id) === "loading");
    if (isThere && !isOnItsWay && this.missing.length > 0) this.#settled();
  }

  end(): void {
    // What is still asked for ends with its layers.
    this.drawing.show({ ...this.contents, layers: [] });
    this.drawing.end();
  }
}
