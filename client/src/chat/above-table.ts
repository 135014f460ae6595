/** What is said above a table: not what the table lists. */

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
