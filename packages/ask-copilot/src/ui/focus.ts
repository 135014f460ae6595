/** Where the keyboard goes: on from a thing that is gone, and to what is to be chosen. */

export const LOG_ID = "log";
export const MESSAGE_ID = "message";
const MAP_ID = "map";

export function focusLog(): void {
  document.getElementById(LOG_ID)?.focus({ preventScroll: true });
}

export function focusMessage(): void {
  document.getElementById(MESSAGE_ID)?.focus();
}

export function focusMap(): void {
  document.getElementById(MAP_ID)?.focus({ preventScroll: true });
}

/** To the options of the newest exchange that has some; false when there are none. */
export function focusChoices(): boolean {
  const [first] = [...(openChoices().at(-1)?.closest("article")?.querySelectorAll<HTMLElement>(OPEN_CHOICES) ?? [])];
  const choice = first?.querySelector<HTMLElement>("button.choice[tabindex='0']");
  choice?.focus();
  return choice !== undefined && choice !== null;
}

/** To the first option of the next list (`by` 1) or the last one of the list before (-1), round and round. */
export function focusNeighbour(list: HTMLElement, by: 1 | -1): void {
  const lists = openChoices();
  const next = lists.at((lists.indexOf(list) + by) % lists.length);
  const options = [...(next?.querySelectorAll<HTMLElement>("button.choice") ?? [])];
  options.at(by === 1 ? 0 : -1)?.focus();
}

const OPEN_CHOICES = "[data-open-choices]";

function openChoices(): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>(OPEN_CHOICES)];
}
