/** Numbers as they are written in Switzerland in print: groups of three digits are set apart by a thin space in every language. */

export const THIN_SPACE = "\u202f";

/** Whole, for scales and coordinates: 2 607 000. */
export function grouped(value: number, space = THIN_SPACE): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, space);
}

export function localised(value: number, language: string, options: Intl.NumberFormatOptions): string {
  const parts = new Intl.NumberFormat(`${language}-CH`, options).formatToParts(value);
  return parts.map((part) => (part.type === "group" ? THIN_SPACE : part.value)).join("");
}
