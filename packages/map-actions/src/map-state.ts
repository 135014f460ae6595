/** What is on a map, how it came there, and what is only being looked at; independent of how it is drawn. */

import type { MapAction, View } from "./actions.js";
import { isSamePlace, type Camera, type Viewpoint } from "./camera.js";
import { Refused } from "./checks.js";
import { changed, isSame, nextAbove, previewed, viewOf, type Contents } from "./contents.js";
import { History } from "./history.js";

/** Hears of every change. */
interface Hearer {
  changed(state: MapState): void;
  /** An action has led the view to a place. */
  moved?(viewpoint: Viewpoint): void;
}

export class MapState {
  #contents: Contents;
  #previewed: readonly MapAction[] = [];
  #shown: Contents;
  /** Where a preview has led the view to (`there` once it has arrived), and where it goes back to. */
  #away: { home: Viewpoint; there: Viewpoint | null } | null = null;
  /** The layer below which the next one of the same batch goes. */
  #above: string | null = null;
  /** Who changes the map. */
  #by = "";
  readonly #past = new History();

  /** `camera` resolves when there is a map, and rejects when none comes. */
  constructor(
    contents: Contents,
    private readonly camera: () => Promise<Camera>,
    private readonly hearer: Hearer,
  ) {
    this.#contents = this.#shown = contents;
  }

  get contents(): Contents {
    return this.#contents;
  }

  /** The contents, and on top of them what is only being looked at. */
  get shown(): Contents {
    return this.#shown;
  }

  /** How many steps can be taken back. */
  get undoable(): number {
    return this.#past.length;
  }

  /** The next layers are a batch: they go on top of all others, and keep their own order. `by` is who changes the map. */
  beginBatch(by: string): void {
    this.#above = null;
    this.#by = by;
  }

  /** Throws `Refused`. */
  async apply(action: MapAction): Promise<void> {
    if (action.type === "setView") return this.#look(action.payload);
    if (action.type === "undo") return this.undo(action.payload.steps);
    this.change(changed(this.#contents, action, this.#above), this.#by);
    this.#above = nextAbove(action, this.#above);
  }

  /** Takes back the last steps, or as many as there are. Throws `Refused` when there is none. */
  async undo(steps = 1): Promise<void> {
    const before = this.#past.back(steps);
    if (!before) throw new Refused("nothing_to_undo");
    this.#put(before.contents);
    if (before.viewpoint) this.#jump(await this.camera(), before.viewpoint);
  }

  /** Puts what can be taken back again. Changes `by` the same are one step, until `settle`. */
  change(contents: Contents, by: string | null = null): void {
    if (isSame(contents, this.#contents)) return;
    const past = this.#past.steps;
    this.#past.keep(by, { contents: this.#contents, viewpoint: null });
    try {
      this.#put(contents);
    } catch (error) {
      this.#past.steps = past;
      throw error;
    }
  }

  /** A gesture has ended. */
  settle(): void {
    this.#past.settle();
  }

  /** Puts what is of another map: what was before cannot be taken back. */
  restore(contents: Contents): void {
    this.#past.forget();
    this.#put(contents);
  }

  /** Puts contents that are another form of the same ones: there is nothing to take back. */
  renew(contents: Contents): void {
    this.#put(contents);
  }

  /**
   * Shows what the actions would do, on top of what is there, until that ends; the map itself stays as it is.
   * `view` is looked at when their places are out of sight.
   */
  async preview(actions: readonly MapAction[], view: View | null): Promise<void> {
    this.#preview(actions);
    const places = actions.flatMap((action) => (action.type === "addMarker" ? [action.payload.coord] : []));
    const target = viewOf(actions) ?? (places.length > 0 ? view : null);
    if (!target) return;
    const camera = await this.camera();
    if (target === view && places.every((place) => camera.sees(place))) return;
    const home = this.homeOf(camera.where());
    this.#away = { home, there: null };
    await camera.show(target);
    this.#away = { home, there: camera.where() };
  }

  /** Brings the view back too, unless the user has moved it since. */
  async endPreview(): Promise<void> {
    this.#preview([]);
    if (!this.#away) return;
    const camera = await this.camera();
    if (this.#isAway(camera.where())) this.#jump(camera, this.#away.home);
    this.#away = null;
  }

  /** The place that is really looked at, where a preview may have led away from it. */
  homeOf(place: Viewpoint): Viewpoint {
    return this.#isAway(place) ? this.#away!.home : place;
  }

  async #look(view: View): Promise<void> {
    const by = this.#by;
    const camera = await this.camera();
    const before = camera.where();
    await camera.show(view);
    // The map tells it a moment later, when it is drawn there; whoever leaves the page meanwhile is there already.
    const viewpoint = camera.where();
    this.hearer.moved?.(viewpoint);
    if (!isSamePlace(before, viewpoint)) this.#past.keep(by, { contents: this.#contents, viewpoint: before });
    this.hearer.changed(this);
  }

  #jump(camera: Camera, viewpoint: Viewpoint): void {
    camera.jump(viewpoint);
    this.hearer.moved?.(camera.where());
  }

  /** What cannot be drawn is not there. */
  #put(contents: Contents): void {
    const before = this.#contents;
    try {
      this.#contents = contents;
      this.#tell();
    } catch (error) {
      this.#contents = before;
      this.#tell();
      throw error;
    }
  }

  #preview(actions: readonly MapAction[]): void {
    if (actions.length + this.#previewed.length === 0) return;
    this.#previewed = actions;
    this.#tell();
  }

  #tell(): void {
    this.#shown = previewed(this.#contents, this.#previewed);
    this.hearer.changed(this);
  }

  /** Whether only a preview has led to a place. */
  #isAway(place: Viewpoint): boolean {
    if (!this.#away) return false;
    const there = this.#away.there;
    return there === null || isSamePlace(place, there);
  }
}
