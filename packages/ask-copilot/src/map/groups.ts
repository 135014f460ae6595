/** Layers that belong together, as the list shows them. Pure. */

import type { LayerEntry } from "@ask-sogis/map-actions";

export interface LayerGroup {
  /** Unique in the list. */
  key: string;
  name: string;
  layers: readonly LayerEntry[];
}

/** "Waldplan - Typ", "ÖREB: Nutzungsplanung" */
const SEPARATOR = /\s+[-–|]\s+|\s+\(|:\s+/;

/** Some catalogues say of a group that it is one. */
const REMARK = /\s+\((?:Gruppe|groupe|gruppo|group)\)$/;

/** The list in its order; neighbours of the same group are one entry. */
export function grouped(listed: readonly LayerEntry[]): readonly (LayerEntry | LayerGroup)[] {
  const runs: { name: string | null; layers: LayerEntry[] }[] = [];
  for (const layer of listed) {
    const name = groupOf(layer);
    const last = runs.at(-1);
    if (last && name !== null && last.name === name) last.layers.push(layer);
    else runs.push({ name, layers: [layer] });
  }
  const seen = new Map<string, number>();
  return runs.map(({ name, layers }) => {
    if (name === null || layers.length === 1) return layers[0]!;
    const nth = (seen.get(name) ?? 0) + 1;
    seen.set(name, nth);
    return { key: `group ${nth} ${name}`, name, layers };
  });
}

export function isGroup(entry: LayerEntry | LayerGroup): entry is LayerGroup {
  return "layers" in entry;
}

/** What the group of a layer is called; null of one that is in none. */
function groupOf({ group, label }: LayerEntry): string | null {
  if (group) return group.replace(REMARK, "");
  const [name, part] = label?.split(SEPARATOR) ?? [];
  return name && part ? name : null;
}
