/** What the payloads of actions are checked with. */

/** Why an action was not done. Each has a sentence in the texts: `map.failed.<reason>`. */
export type Reason =
  | "unknown_action"
  | "invalid_payload"
  | "unsafe_url"
  | "foreign_host"
  | "outside"
  | "unknown_layer"
  | "unknown_marker"
  | "no_legend"
  | "nothing_to_undo"
  | "layer_silent"
  | "map_unavailable";

export class Refused extends Error {
  constructor(readonly reason: Reason) {
    super(reason);
  }
}

export function textOf(value: unknown): string {
  if (typeof value !== "string" || value === "") throw new Refused("invalid_payload");
  return value;
}

export function optional<K extends string>(key: K, value: unknown): { [P in K]?: string } {
  return (typeof value === "string" && value !== "" ? { [key]: value } : {}) as { [P in K]?: string };
}
