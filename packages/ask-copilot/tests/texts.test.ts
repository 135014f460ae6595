import { describe, expect, it } from "vitest";
import { suggestionsOf } from "../src/chat/suggestions";
import { de } from "../src/texts/de";
import { en } from "../src/texts/en";
import { fr } from "../src/texts/fr";
import { it as italian } from "../src/texts/it";
import { preferred, Texts, type Catalogue, type Key } from "../src/texts/texts.svelte";

const CATALOGUES: Record<string, Catalogue> = { de, fr, it: italian, en };
const placeholders = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).toSorted();

describe.each(Object.entries(CATALOGUES))("the texts in %s", (_, catalogue) => {
  it("have the same keys and the same gaps as the German ones, and none is empty", () => {
    expect(Object.keys(catalogue).toSorted()).toEqual(Object.keys(de).toSorted());
    for (const [key, text] of Object.entries(catalogue)) {
      expect(text.trim(), key).not.toBe("");
      expect(placeholders(text), key).toEqual(placeholders(de[key as Key]));
    }
  });

  it("are written as in Switzerland", () => {
    for (const text of Object.values(catalogue)) expect(text).not.toMatch(/ß|„|“|"/);
  });
});

describe("texts", () => {
  it("are German until another language is chosen, and stay with an unknown one", async () => {
    const texts = new Texts(null);
    await texts.use("xx");
    expect(texts.t("chat.send")).toBe("Senden");
    await texts.use("fr");
    expect([texts.language, texts.t("chat.send")]).toEqual(["fr", "Envoyer"]);
  });

  it.each([
    [["fr-CH", "de"], "fr"],
    [["rm-CH", "it"], "it"],
    [["en"], "en"],
    [["DE-ch", "fr"], "de"],
    [["ja", "constructor"], "de"],
    [[], "de"],
  ])("for who wants %j are in %s", (wanted, language) => {
    expect(preferred(wanted)).toBe(language);
  });

  it("fill their gaps", () => {
    expect(new Texts(null).t("work.checking", { done: 3, total: 10 })).toBe("Prüfe Dokumente: 3 von 10");
  });

  it("write days and sizes as in Switzerland", () => {
    const texts = new Texts(null);
    expect([texts.day("2024-03-09"), texts.size(48_213), texts.size(12)]).toEqual(["9.3.2024", "48.2\u00a0kB", "12\u00a0B"]);
  });

  it("name every suggestion, and what the sources have named in it", () => {
    const texts = new Texts(null);
    const intents = ["load_layer", "goto_address", "goto_address", "never_heard_of"];
    const found = suggestionsOf(intents.map((intent, n) => ({ intent, text: `Satz ${n}`, subject: `Rue du Lac ${n}` })));
    expect(found.map(({ message }) => message).slice(0, -1)).toEqual(["Satz 1", "Satz 0"]);
    expect(texts.t(found[0]!.label, { what: found[0]!.what })).toBe("Gehe zur Adresse Rue du Lac 1");
    for (const { label } of suggestionsOf([])) expect(de[label]).toBeTruthy();
  });
});
