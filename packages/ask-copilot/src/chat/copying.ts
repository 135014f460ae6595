/** An answer as text to take along. */

import type { StepView } from "./turn";

/**
 * The messages of the steps, each with the sources that its numbers stand for, and what its cards say. `page` is what links begin at.
 */
export function copyOf(
  steps: readonly StepView[],
  title: string,
  page: string,
  cards: (step: StepView) => readonly string[] = () => [],
): string {
  return steps
    .flatMap((step) => [withSources(step, title, page), ...cards(step)])
    .filter(Boolean)
    .join("\n\n");
}

function withSources({ message, research }: StepView, title: string, page: string): string {
  const sources = (research?.sources ?? []).map(({ n, name, url }) => `[${n}] ${name}${url ? `, ${new URL(url, page).href}` : ""}`);
  return message && sources.length > 0 ? `${message}\n\n${title}:\n${sources.join("\n")}` : message;
}
