/**
 * The background on the map: the one that is wanted, and below it another one, once tiles of the first did not come.
 * That one stays: some services have tiles of their own area only.
 */

import type OlMap from "ol/Map";
import type TileLayer from "ol/layer/Tile";
import type { Projection } from "ol/proj";
import type { BackgroundSource } from "./config";
import { end, tileLayer, type Fineness } from "@ask-sogis/map-actions/openlayers";
import { TileHealth } from "./tile-health";

interface Laid {
  source: BackgroundSource;
  layer: TileLayer;
  health: TileHealth;
}

/** Whose tiles there are; `isDown` when there should be some and are none. */
export interface Seen {
  attributions: readonly string[];
  isDown: boolean;
  /** There are none, wanted or not. */
  isBlank: boolean;
}

export class Backdrop {
  /** From the top to the bottom. */
  #laid: Laid[] = [];

  constructor(
    private readonly map: OlMap,
    private readonly projection: Projection,
    private readonly tell: (seen: Seen) => void,
    private readonly fineness: Fineness | null = null,
  ) {}

  show(source: BackgroundSource | null): void {
    this.end();
    if (source) this.#lay(source, false);
    this.#tell();
  }

  end(): void {
    for (const { layer, health } of this.#laid.splice(0)) {
      health.end();
      this.map.removeLayer(layer);
      end(layer);
    }
  }

  #lay(source: BackgroundSource, isSubstitute: boolean): void {
    const place = this.#laid.length;
    const health = new TileHealth((isDown) => {
      if (isDown && source.instead && this.#laid.length === place + 1) this.#lay(source.instead, true);
      this.#tell();
    });
    const heard = { asked: () => undefined, came: () => health.report(false), failed: () => health.report(true) };
    const options = { className: "map-background", preload: this.fineness ? 0 : 2 };
    const layer = tileLayer(source, this.projection, heard, this.fineness, options);
    layer.setZIndex(2 - place);
    this.#laid.push({ source, layer, health });
    this.map.addLayer(layer);
    // Nobody has seen a tile of a substitute yet, and the map has waited once.
    health.begin(isSubstitute);
  }

  #tell(): void {
    const seen = this.#laid.filter(({ health }) => !health.isDown);
    const attributions = seen.map(({ source }) => source.attribution).filter((name) => name !== "");
    const isBlank = seen.length === 0;
    this.tell({ attributions, isBlank, isDown: isBlank && this.#laid.length > 0 });
  }
}
