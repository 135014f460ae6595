/** The backgrounds of a map: style layers of its own, of which the wanted ones are visible. */

import type { Map as MapLibre } from "maplibre-gl";
import { BACKGROUNDS, type Background } from "../actions.js";

export type BackgroundLayers = Partial<Record<Background, string | readonly string[]>>;

export class Backgrounds {
  readonly #layers: ReadonlyMap<Background, readonly string[]>;
  readonly #visibleAtFirst = new Map<string, boolean>();

  constructor(
    private readonly map: MapLibre,
    layers: BackgroundLayers,
  ) {
    this.#layers = new Map(BACKGROUNDS.map((name) => [name, [layers[name] ?? []].flat()]));
  }

  /** Keeps what the style has, before anything is done with it; the background that is visible. */
  read(): Background {
    this.#visibleAtFirst.clear();
    for (const layer of this.#all()) if (this.map.getLayer(layer)) this.#visibleAtFirst.set(layer, this.#isVisible(layer));
    const isAny = (name: Background): boolean => this.#layers.get(name)!.some((layer) => this.#visibleAtFirst.get(layer));
    return BACKGROUNDS.find(isAny) ?? "none";
  }

  /** "None" is one only where there are others. */
  has(background: Background): boolean {
    return (background === "none" ? this.#all() : this.#layers.get(background)!).length > 0;
  }

  lay(background: Background): void {
    const wanted = this.#layers.get(background)!;
    for (const layer of this.#visibleAtFirst.keys()) this.#set(layer, wanted.includes(layer));
  }

  /** As the style has it. */
  restore(): void {
    for (const [layer, isVisible] of this.#visibleAtFirst) this.#set(layer, isVisible);
  }

  #all(): readonly string[] {
    return [...this.#layers.values()].flat();
  }

  #isVisible(layer: string): boolean {
    return this.map.getLayoutProperty(layer, "visibility") !== "none";
  }

  #set(layer: string, isVisible: boolean): void {
    if (this.map.getLayer(layer)) this.map.setLayoutProperty(layer, "visibility", isVisible ? "visible" : "none");
  }
}
