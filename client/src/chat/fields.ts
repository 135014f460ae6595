/** The parts of what comes from outside; what is missing or wrong is empty. */

import { isFields } from "../map/checks";

export type Fields = Record<string, unknown>;

export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
