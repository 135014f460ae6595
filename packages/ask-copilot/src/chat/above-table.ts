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

/** Where the first line announces a whole extract, which it does by its EGRID, its card says all the others. */
export function withoutExtracts(text: string, egrids: readonly string[]): string {
  const [first = ""] = text.split("\n", 1);
  return egrids.some((egrid) => first.includes(egrid)) ? first : text;
}

/** Before the name of a source there is not more than what it is. */
const MAX_BEFORE_CHARS = 24;

/** An answer without the lines that only say where a card comes from, or name an address which it leads to. */
export function withoutOrigins(text: string, links: readonly string[], sources: readonly string[]): string {
  const isOrigin = (line: string): boolean => {
    const said = line.trim().replace(/\.$/, "");
    return sources.some((source) => said.endsWith(source) && said.length - source.length <= MAX_BEFORE_CHARS);
  };
  const lines = text.split("\n").filter((line) => !isOrigin(line) && !links.some((link) => line.includes(link)));
  return lines.join("\n").trim();
}
