/** Texts by key, in the language that is chosen. German is always there, the others are loaded when needed. */

import { de } from "./de";
import { localised } from "./numbers";

export type Key = keyof typeof de;
export type Catalogue = Readonly<Record<Key, string>>;

export const LANGUAGES = { de: "Deutsch", fr: "Français", it: "Italiano", en: "English" } as const;
export type Language = keyof typeof LANGUAGES;

const LOADERS: Record<Exclude<Language, "de">, () => Promise<Catalogue>> = {
  fr: async () => (await import("./fr")).fr,
  it: async () => (await import("./it")).it,
  en: async () => (await import("./en")).en,
};

export class Texts {
  language = $state<Language>("de");
  #catalogue = $state.raw<Catalogue>(de);
  #wanted: Language = "de";

  constructor(language: string | null) {
    if (language) void this.use(language);
  }

  /** Stays with what is there when the language is unknown or cannot be loaded. */
  async use(language: string): Promise<void> {
    if (!isLanguage(language)) return;
    this.#wanted = language;
    try {
      const catalogue = language === "de" ? de : await LOADERS[language]();
      // Another one was asked for meanwhile.
      if (this.#wanted !== language) return;
      this.#catalogue = catalogue;
      this.language = language;
    } catch {
      // The texts of before are better than none.
    }
  }

  readonly t = (key: Key, values: Readonly<Record<string, string | number>> = {}): string =>
    this.#catalogue[key].replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ""));

  /** Whether there is a text for a key that is made up of parts. */
  readonly has = (key: string): key is Key => Object.hasOwn(de, key);

  /** 12.3.2024, as it is written in Switzerland. */
  day(iso: string): string {
    const [year, month, day] = iso.split("-").map(Number);
    return `${day}.${month}.${year}`;
  }

  /** With its unit; what is there is never shown as nothing, nor a part as the whole. */
  quantity(value: number, unit: string): string {
    const isTiny = value > 0 && value < 0.1;
    const shown = isTiny ? 0.1 : unit === "%" && value < 100 ? Math.min(value, 99.9) : value;
    const number = localised(shown, this.language, { maximumFractionDigits: shown < 100 ? 1 : 0 });
    return `${isTiny ? "< " : ""}${number}\u00a0${unit}`;
  }

  /** A number, with thin spaces unless it may be a name, as 4500 is. */
  readonly figure = (value: number, useGrouping = true): string => {
    return localised(value, this.language, { maximumFractionDigits: Math.abs(value) < 100 ? 2 : 1, useGrouping });
  };

  size(bytes: number): string {
    if (bytes < 1_000) return `${bytes}\u00a0B`;
    const [value, unit] = bytes < 1_000_000 ? [bytes / 1_000, "kB"] : [bytes / 1_000_000, "MB"];
    return `${value.toLocaleString(`${this.language}-CH`, { maximumFractionDigits: 1 })}\u00a0${unit}`;
  }
}

/** The first of the wanted languages (`fr-CH`) that there are texts in; German when there is none. */
export function preferred(wanted: readonly string[]): Language {
  return wanted.map((tag) => tag.split("-")[0]!.toLowerCase()).find(isLanguage) ?? "de";
}

function isLanguage(value: string): value is Language {
  return Object.hasOwn(LANGUAGES, value);
}
