/** What is said above a table or a card: not what they say too. */

const LISTED = /^\s*([-*]|\d+\.)\s/;

/** An answer in Markdown without its lists and the lines that announce them. */
export function withoutLists(markdown: string): string {
  const lines = markdown.split("\n");
  const announces = (n: number): boolean =>
    lines[n]!.trimEnd().endsWith(":") && LISTED.test(lines.slice(n + 1).find((line) => line.trim()) ?? "");
  const left = lines.filter((line, n) => !LISTED.test(line) && !announces(n));
  return left
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

/** An answer without the lines that name an address which a card leads to. */
export function withoutLinks(text: string, links: readonly string[]): string {
  const lines = text.split("\n").filter((line) => !links.some((link) => line.includes(link)));
  return lines.join("\n").trim();
}
