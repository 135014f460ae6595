/** Where the keyboard goes: on from a thing that is gone, and to what is to be chosen. */

export const LOG_ID = "log";
export const MESSAGE_ID = "message";
const MAP_ID = "map";
const OPEN_CHOICES = "[data-open-choices]";

/** In a page, or in the shadow of an element. */
export class Focus {
  constructor(readonly root: Document | ShadowRoot) {}

  /** Of what is in here. */
  get element(): Element | null {
    return this.root.activeElement;
  }

  toLog(): void {
    this.root.getElementById(LOG_ID)?.focus({ preventScroll: true });
  }

  toMessage(): void {
    this.root.getElementById(MESSAGE_ID)?.focus();
  }

  /** Of the page; another map may have no element of that name. */
  toMap(): void {
    this.root.getElementById(MAP_ID)?.focus({ preventScroll: true });
  }

  /** To the options of the newest exchange that has some; false when there are none. */
  toChoices(): boolean {
    const [first] = [...(this.#choices.at(-1)?.closest("article")?.querySelectorAll<HTMLElement>(OPEN_CHOICES) ?? [])];
    const choice = first?.querySelector<HTMLElement>("button.choice[tabindex='0']");
    choice?.focus();
    return choice !== undefined && choice !== null;
  }

  /** To the first option of the next list (`by` 1) or the last one of the list before (-1), round and round. */
  toNeighbour(list: HTMLElement, by: 1 | -1): void {
    const lists = this.#choices;
    const next = lists.at((lists.indexOf(list) + by) % lists.length);
    const options = [...(next?.querySelectorAll<HTMLElement>("button.choice") ?? [])];
    options.at(by === 1 ? 0 : -1)?.focus();
  }

  get #choices(): HTMLElement[] {
    return [...this.root.querySelectorAll<HTMLElement>(OPEN_CHOICES)];
  }
}
