/** The parts of what comes from outside, which may be anything; what is missing or wrong is empty. */

export type Fields = Record<string, unknown>;

/** What should be a `T` of the contract: it has no other names, but its values can be anything. */
export type FieldsOf<T> = { readonly [Name in keyof T]?: unknown };

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function fieldsOf<T = Fields>(value: unknown): FieldsOf<T> {
  return (isFields(value) ? value : {}) as FieldsOf<T>;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Null is what is no JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
