/** The backgrounds of a map: style layers of its own, of which the wanted ones are visible. */

import type { Map as MapLibre } from "maplibre-gl";
import { BACKGROUNDS, type Background } from "../actions.js";

export type BackgroundLayers = Partial<Record<Background, string | readonly string[]>>;

type Visibility = "visible" | "none" | undefined;

export class Backgrounds {
  readonly #layers: ReadonlyMap<Background, readonly string[]>;
  /** As the style says it: one that says nothing is visible. */
  readonly #atFirst = new Map<string, Visibility>();

  constructor(
    private readonly map: MapLibre,
    layers: BackgroundLayers,
  ) {
    this.#layers = new Map(BACKGROUNDS.map((name) => [name, [layers[name] ?? []].flat()]));
  }

  /** Keeps what the style has, before anything is done with it; the background that is visible. */
  read(): Background {
    this.#atFirst.clear();
    for (const layer of this.#all()) if (this.map.getLayer(layer)) this.#atFirst.set(layer, this.#visibilityOf(layer));
    const isAny = (name: Background): boolean =>
      this.#layers.get(name)!.some((layer) => this.#atFirst.has(layer) && this.#atFirst.get(layer) !== "none");
    return BACKGROUNDS.find(isAny) ?? "none";
  }

  /** Whether the style has it; "none" is one only where there are others. */
  has(background: Background): boolean {
    return (background === "none" ? this.#all() : this.#layers.get(background)!).some((layer) => this.#atFirst.has(layer));
  }

  lay(background: Background): void {
    const wanted = this.#layers.get(background)!;
    for (const layer of this.#atFirst.keys()) this.#set(layer, wanted.includes(layer) ? "visible" : "none");
  }

  /** As the style has it. */
  restore(): void {
    for (const [layer, visibility] of this.#atFirst) this.#set(layer, visibility);
  }

  #all(): readonly string[] {
    return [...this.#layers.values()].flat();
  }

  #visibilityOf(layer: string): Visibility {
    return this.map.getLayoutProperty(layer, "visibility") as Visibility;
  }

  #set(layer: string, visibility: Visibility): void {
    if (this.map.getLayer(layer)) this.map.setLayoutProperty(layer, "visibility", visibility);
  }
}
