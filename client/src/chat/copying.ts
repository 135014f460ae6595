/** An answer as text to take along. */

import type { StepView } from "./turn";

/** The messages of the steps, each with the sources that its numbers stand for. `page` is what links begin at. */
export function copyOf(steps: readonly StepView[], title: string, page: string): string {
  return steps
    .map((step) => withSources(step, title, page))
    .filter(Boolean)
    .join("\n\n");
}

function withSources({ message, research }: StepView, title: string, page: string): string {
  const sources = (research?.sources ?? []).map(({ n, name, url }) => `[${n}] ${name}${url ? `, ${new URL(url, page).href}` : ""}`);
  return message && sources.length > 0 ? `${message}\n\n${title}:\n${sources.join("\n")}` : message;
}
