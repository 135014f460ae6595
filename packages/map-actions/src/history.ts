/** What was on the map before its last changes, so that they can be taken back. */

import type { Contents } from "./contents.js";
import type { Viewpoint } from "./camera.js";

/** What was there before a step; the place only of a step that has led away from it. */
export interface Before {
  contents: Contents;
  viewpoint: Viewpoint | null;
}

const MOST = 50;

export class History {
  steps: readonly (Before & { by: string | null })[] = [];

  get length(): number {
    return this.steps.length;
  }

  /** To be called before each change. All that the same one does is one step, until another one does something. */
  keep(by: string | null, before: Before): void {
    const last = this.steps.at(-1);
    if (by === null || last?.by !== by) this.steps = [...this.steps, { ...before, by }].slice(-MOST);
    else if (!last.viewpoint) this.steps = this.steps.with(-1, { ...last, viewpoint: before.viewpoint });
  }

  /** What is done next is another step, whoever does it. */
  settle(): void {
    const last = this.steps.at(-1);
    if (last?.by) this.steps = this.steps.with(-1, { ...last, by: null });
  }

  forget(): void {
    this.steps = [];
  }

  /** What was there before the last steps, which are forgotten; null when there are none. */
  back(steps: number): Before | null {
    const undone = this.steps.slice(-steps);
    const [first] = undone;
    if (!first) return null;
    this.steps = this.steps.slice(0, -undone.length);
    return { contents: first.contents, viewpoint: undone.find(({ viewpoint }) => viewpoint)?.viewpoint ?? null };
  }
}
