/**
 * What the lists of an extract and its restrictions together allow to say about each theme. Pure.
 *
 * Only together they do: of a theme in two lists, or with restrictions and in none, nothing is certain.
 */

import { fieldsOf, listOf, textOf, type Fields } from "@ask-sogis/client";

export type Standing = "concerned" | "notConcerned" | "withoutData" | "contradictory";

interface ThemeFacts {
  title: string;
  standing: Standing;
  restrictions: readonly Fields[];
}

interface Theme {
  code: string;
  /** Of a part of the theme; empty for the whole. */
  subCode: string;
  title: string;
  said: Set<Standing>;
  restrictions: Fields[];
}

/** Each theme and part of a theme once: concerned ones first, otherwise in the order of the extract. */
export function factsOf(content: Fields): readonly ThemeFacts[] {
  const themes = new Map<string, Theme>();
  const named = (value: unknown): Theme => {
    const { code, subCode, title } = fieldsOf(value);
    const theme = { code: textOf(code) || textOf(title), subCode: textOf(subCode), said: new Set<Standing>(), restrictions: [] };
    const key = JSON.stringify([theme.code, theme.subCode]);
    const found = themes.get(key) ?? { ...theme, title: textOf(title) || theme.subCode || theme.code || "?" };
    themes.set(key, found);
    return found;
  };
  const take = (list: Standing) => listOf(content[list]).forEach((theme) => named(theme).said.add(list));
  take("concerned");
  for (const restriction of listOf(content["restrictions"]).map(fieldsOf)) named(restriction["theme"]).restrictions.push(restriction);
  take("notConcerned");
  take("withoutData");
  return [...themes.values()].flatMap((theme) => {
    const standing = standingOf(
      theme,
      [...themes.values()].filter((other) => isRelated(theme, other)),
    );
    return standing ? { title: theme.title, standing, restrictions: theme.restrictions } : [];
  });
}

/** Null for a whole of which the restrictions of its parts tell everything. */
function standingOf(theme: Theme, related: readonly Theme[]): Standing | null {
  const isRestricted = related.some(({ restrictions }) => restrictions.length > 0);
  const said = new Set(theme.said);
  if (theme.subCode) {
    // What does not hold for the whole does not hold for its parts; it is concerned if only one part is.
    for (const { subCode, said: whole } of related) if (!subCode) for (const each of whole) if (each !== "concerned") said.add(each);
  } else if (isWide(said)) {
    for (const other of related) for (const each of other.said) said.add(each);
    if (isRestricted) said.add("concerned");
  }
  if (theme.restrictions.length > 0) {
    const isListed = related.some((other) => other.said.has("concerned"));
    return isListed && !isWide(said) ? "concerned" : "contradictory";
  }
  if (said.size > 1) return "contradictory";
  const [only = null] = said;
  return only === "concerned" && isRestricted ? null : only;
}

function isWide(said: ReadonlySet<Standing>): boolean {
  return said.has("notConcerned") || said.has("withoutData");
}

/** Whether they are the same theme, or one is a part of the other. */
function isRelated(one: Theme, other: Theme): boolean {
  return one.code === other.code && (one.subCode === other.subCode || !one.subCode || !other.subCode);
}
