/** What the payloads of actions are checked with. */

/** What has names, whatever their values are. */
export type Fields = Record<string, unknown>;

/** Why an action was not done. */
export type Reason =
  | "unknown_action"
  | "invalid_payload"
  | "unsafe_url"
  | "foreign_host"
  | "outside"
  | "unknown_layer"
  | "unknown_marker"
  | "no_legend"
  | "no_background"
  | "not_drawable"
  | "nothing_to_undo"
  | "layer_silent"
  | "map_unavailable";

export class Refused extends Error {
  constructor(readonly reason: Reason) {
    super(reason);
  }
}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function textOf(value: unknown): string {
  if (typeof value !== "string" || value === "") throw new Refused("invalid_payload");
  return value;
}

export function optional<K extends string>(key: K, value: unknown): { [P in K]?: string } {
  return (typeof value === "string" && value !== "" ? { [key]: value } : {}) as { [P in K]?: string };
}
