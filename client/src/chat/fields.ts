/** The parts of what comes from outside; what is missing or wrong is empty. */

import { isFields, type Fields, type FieldsOf } from "../map/checks";

export type { Fields };

export function fieldsOf<T = Fields>(value: unknown): FieldsOf<T> {
  return (isFields(value) ? value : {}) as FieldsOf<T>;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
