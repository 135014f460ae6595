import { describe, expect, it } from "vitest";
import { readExtract } from "../src/chat/extract";
import { readAnswer } from "../src/chat/reading";
import { readResults, type Result } from "../src/chat/results";
import { begin, take, type StepView } from "../src/chat/turn";
import { Texts } from "../src/texts/texts.svelte";
import { cardOf, textOfCard } from "../src/ui/result-card";
import { cardsOf, saidOf, textOfSteps } from "../src/ui/step-cards";

const texts = new Texts(null);
const NOW = Date.parse("2026-11-23T14:00:00Z");
const PAGE = "https://ask.example.org/karte/";
const provenance = { source: "Amtliche Vermessung", license: "", retrievedAt: "2026-11-20T10:00:00Z" };
const square = {
  type: "Polygon",
  coordinates: [
    [
      [2600000, 1215000],
      [2600100, 1215000],
      [2600100, 1215100],
      [2600000, 1215000],
    ],
  ],
};
const parcel = {
  ...{ type: "parcel", id: "p", label: "Grundstück 198", egrid: "CH1", number: "198", municipality: "Messen" },
  ...{ landRegister: "Brunnenthal", kind: "Liegenschaft", areaM2: 1204.4, provenance, geometry: square },
};
const plan = { type: "cadastral_plan", id: "k", label: "Grundbuchplan 198", url: "/api/prints/abc", scale: 500 };
const probe = { type: "geothermal_assessment", id: "g", label: "Erdwärmesonde", allowed: true, text: "Ja.", maxDepthM: 180 };
const layer = {
  ...{ type: "layer", id: "ch.so.wald", label: "Wald", attribution: "Kanton", legendUrl: "https://geo.so.ch/legend.png" },
  source: { type: "wms", url: "https://geo.so.ch/api/wms", parameters: { LAYERS: "wald" } },
};

function one(item: object): Result {
  const [result, ...rest] = readResults([item]);
  expect(rest).toEqual([]);
  return result!;
}

const card = (item: object, now = NOW) => cardOf(one(item), texts, now);
const figures = (item: object) => card(item).figures.map(({ name, value, unit }) => `${name} ${value} ${unit}`.trim());

function stepWith(intent: string, message: string, items: object[], more: object = {}): StepView {
  const steps = [{ intent, status: "ok", message, choices: [], items, ...more }];
  const exchange = begin({ kind: "message", text: "?" }, "key", { mapResults: [], map: null, language: "de" });
  return take(exchange, { kind: "event", id: "1", event: "turn.finished", data: { requestId: "r", response: { steps } } }).steps[0]!;
}

describe("what has been found", () => {
  it("has the middle of its outline as its place, and the outline", () => {
    expect(one(parcel).where).toEqual({ coord: [2600050, 1215050], extent: [2600000, 1215000, 2600100, 1215100], geometry: square });
  });

  it("is a label and a source when nobody knows its type", () => {
    const unknown = { type: "borehole", id: "b", label: "Bohrung 7", provenance, depth: 12 };
    expect(card(unknown)).toMatchObject({ kind: "", names: ["Bohrung 7"], figures: [], facts: [], links: [] });
    expect(card(unknown).origins).toEqual([{ source: "Amtliche Vermessung", date: "2026-11-20", isSample: false }]);
    expect(readResults([{ type: "borehole", id: "b" }])).toEqual([]);
  });

  it("comes once, and without documents, which are told otherwise", () => {
    const found = readResults([parcel, parcel, { type: "document", id: "d", label: "x", name: "x", url: "https://so.ch" }]);
    expect(found).toHaveLength(1);
  });

  it.each([
    [null, 7, "x", [], {}, { type: 3 }, { type: "constructor" }, { type: "__proto__", label: "" }],
    [{ type: "height", heightM: "high" }, { type: "distance" }, { type: "feature_set", count: null }],
    [{ type: "geothermal_assessment", allowed: "yes" }],
  ])("is nothing when it is strange: %j", (...items) => {
    expect(readResults(items)).toEqual([]);
  });

  it.each([
    "address",
    "municipality",
    "place",
    "parcel",
    "oereb_extract",
    "cadastral_plan",
    "coordinates",
    "layer",
    "layer_group",
    "feature",
  ])("can be a card of the type %s with nothing in it", (type) => {
    const strange = {
      type,
      geometry: { type: "Polygon", coordinates: [[1, 2]] },
      layers: [null, { id: 4 }],
      attributes: [3, {}],
      provenance: 4,
    };
    const { names, figures, facts } = card(strange);
    expect([names.length, figures.length - (type === "layer_group" ? 1 : 0), facts.length]).toEqual([1, 0, 0]);
  });

  it.each(["javascript:alert(1)", "//evil.example/x", "https://user:pw@evil.example/", "/api/prints/../secret", "data:text/html,x"])(
    "has no link to %s",
    (url) => {
      const items = [
        { ...plan, url },
        { ...probe, reportUrl: url },
        { type: "oereb_extract", id: "o", label: "x", egrid: "CH1", pdfUrl: url, mapUrl: url },
      ];
      for (const item of items) expect(card(item).links).toEqual([]);
      expect(one({ ...layer, legendUrl: url })).toMatchObject({ layer: { id: "ch.so.wald" } });
      expect(JSON.stringify(one({ ...layer, legendUrl: url }))).not.toContain(url);
    },
  );

  it("is not kept with an outline that would fill the memory of the page; its extent is", () => {
    const ring = Array.from({ length: 9_000 }, (_, n) => [2600000 + n, 1215000 + (n % 7)]);
    const { where } = one({ ...parcel, geometry: { type: "Polygon", coordinates: [ring] } });
    expect(where).toMatchObject({ geometry: null, extent: [2600000, 1215000, 2608999, 1215006] });
  });

  it("is nowhere outside of the map", () => {
    expect(one({ type: "address", id: "a", label: "x", coord: [7.5, 47.2] }).where).toBeNull();
  });
});

describe("a card", () => {
  it("of a parcel has its name, area, EGRID and land register", () => {
    const { kind, names, facts } = card(parcel);
    expect([kind, names]).toEqual(["Grundstück", ["Parzelle 198 in Messen"]]);
    expect(figures(parcel)).toEqual(["Fläche 1\u202f204.4 m²"]);
    expect(facts).toEqual([
      { name: "EGRID", value: "CH1" },
      { name: "Grundbuch", value: "Brunnenthal" },
    ]);
  });

  it("of a parcel does not take an area from an outline for an exact one", () => {
    expect(figures({ ...parcel, areaSource: "outline" })).toEqual(["Fläche ≈\u202f1\u202f204.4 m²"]);
  });

  it("of a municipality has its district and its number", () => {
    const item = {
      type: "municipality",
      id: "2513",
      label: "Biberist (Gemeinde)",
      name: "Biberist",
      bfsNumber: 2513,
      district: "Wasseramt",
    };
    expect(card(item)).toMatchObject({ kind: "Gemeinde", names: ["Biberist"] });
    expect(card(item).facts.map(({ value }) => value)).toEqual(["Wasseramt", "2513"]);
  });

  it("of a probe says in words and not by a colour alone whether it is possible", () => {
    expect(card(probe).verdict).toEqual({ isGood: true, text: "Möglich" });
    expect(card({ ...probe, allowed: false }).verdict).toEqual({ isGood: false, text: "Nicht möglich" });
    expect(figures(probe)).toEqual(["Tiefe höchstens 180 m"]);
  });

  it("of a plan can be downloaded until it is gone", () => {
    const until = { ...plan, expiresAt: "2026-11-23T14:30:00Z" };
    expect(card(until).links).toEqual([{ href: "/api/prints/abc", label: "Herunterladen", icon: "download" }]);
    expect(card(until).facts.map(({ name }) => name)).toEqual(["Abrufbar bis"]);
    const later = card(until, Date.parse("2026-11-23T14:31:00Z"));
    expect([later.links, later.facts]).toEqual([[], []]);
    expect(later.notes[0]).toMatch(/^War bis .* abrufbar/);
    expect(figures(plan)).toEqual(["Massstab 1:500"]);
  });

  it("tells numbers as they are written here", () => {
    const at = { coord: [2607544, 1228428] };
    const height = { type: "height", id: "h", label: "x", heightM: 1228.25, provenance: { ...provenance, match: "fuzzy" }, ...at };
    expect(figures(height)).toEqual(["Höhe ≈\u202f1\u202f228.3 m ü. M."]);
    const distance = { type: "distance", id: "d", label: "x", start: "Olten", end: "Zürich" };
    expect(figures({ ...distance, metres: 849.6 })).toEqual(["Luftlinie 850 m"]);
    expect(figures({ ...distance, metres: 34_860 })).toEqual(["Luftlinie 34.9 km"]);
    const set = { type: "feature_set", id: "f", label: "Standorte in Olten", layer: "l", layerLabel: "Standorte", count: 1204 };
    expect(figures(set)).toEqual(["Anzahl 1\u202f204 Objekte"]);
    const sum = { function: "sum", attribute: "Fläche", value: 41230, unit: "m²" };
    expect(figures({ ...set, aggregate: sum })[0]).toBe("Summe Fläche 41\u202f230 m²");
  });

  it("of coordinates has all systems, the latitude first", () => {
    const item = {
      type: "coordinates",
      id: "c",
      label: "x",
      coord: [2607544, 1228428],
      lv03: [607544, 228428],
      wgs84: [7.53231, 47.20791],
    };
    expect(card(item).names).toEqual(["2\u202f607\u202f544 / 1\u202f228\u202f428 (LV95)"]);
    expect(card(item).facts.map(({ value }) => value)).toEqual(["607\u202f544 / 228\u202f428", "47.20791, 7.53231"]);
  });

  it("says what may be doubted", () => {
    const stale = { ...parcel, provenance: { ...provenance, stale: true, sample: true } };
    expect(card(stale)).toMatchObject({ isSample: true, notes: ["Die Quelle ist im Moment nicht erreichbar. Stand: 20.11.2026."] });
  });

  it("of a layer knows how to put it on the map, and its legend", () => {
    expect(one(layer)).toMatchObject({
      layer: { id: "ch.so.wald", source: { type: "wms", parameters: { LAYERS: "wald" } }, legendUrl: "https://geo.so.ch/legend.png" },
    });
    expect(one({ ...layer, source: { type: "wms", url: "javascript:x" } })).toMatchObject({ layer: null });
  });

  it("is text that can be taken along, with its links and where it comes from", () => {
    expect(textOfCard(card({ ...plan, provenance }), texts, PAGE)).toBe(
      `Grundbuchplan: Grundbuchplan 198
Massstab: 1:500
Herunterladen: https://ask.example.org/api/prints/abc
Quelle: Amtliche Vermessung, 20.11.2026`,
    );
  });
});

describe("the cards of a step", () => {
  const extract = { type: "oereb_extract", id: "o", label: "x", egrid: "CH1", pdfUrl: "https://geo.so.ch/x.pdf" };
  const feature = { type: "feature", id: "s1", label: "Ablagerung 1", layer: "l", layerLabel: "Standorte" };

  it("say of an extract that has been read what it says, and of another one what its item says", () => {
    const step = stepWith("oereb_extract", "Da.", [
      { ...extract, coord: [2600050, 1215050], provenance },
      { ...extract, egrid: "CH2", id: "2" },
    ]);
    const payload = { egrid: "CH1", url: "https://geo.so.ch/y.pdf", number: "198", municipality: "Messen", areaM2: 1204, content: {} };
    const read = readExtract({ type: "showOerebExtract", payload })!;
    const shown = cardsOf({ ...step, extracts: [read] }, texts, NOW);
    expect(shown.map(({ result, extract }) => [result?.id, extract?.egrid])).toEqual([
      ["o", "CH1"],
      ["2", undefined],
    ]);
    expect(shown[0]?.card).toMatchObject({
      kind: "ÖREB-Auszug",
      names: ["Parzelle 198 in Messen"],
      links: [{ href: "https://geo.so.ch/y.pdf" }],
    });
    expect(shown[0]?.card.origins).toHaveLength(1);
    expect(shown[0]?.result?.where?.coord).toEqual([2600050, 1215050]);
    expect(cardsOf({ ...step, results: [], extracts: [read] }, texts, NOW)).toHaveLength(1);
  });

  it("are one for all that lies at a place", () => {
    const address = { type: "address", id: "a", label: "Hauptstrasse 1", coord: [2607544, 1228428], provenance };
    const step = stepWith("identify", "Hier:\n\n- Hauptstrasse 1\n\nWald: nichts.", [address, parcel, feature]);
    const [place, ...rest] = cardsOf(step, texts, NOW);
    expect(rest).toEqual([]);
    expect(place?.card).toMatchObject({ kind: "Adresse", names: ["Hauptstrasse 1", "Parzelle 198 in Messen"] });
    expect(place?.found?.sayings).toHaveLength(1);
    expect(saidOf(step, [place!])).toBe("Wald: nichts.");
  });

  it("make lines needless that only lead to the same address", () => {
    const step = stepWith("cadastral_plan", "Plan im Massstab 1:500.\nPDF: /api/prints/abc", [plan]);
    expect(saidOf(step, cardsOf(step, texts, NOW))).toBe("Plan im Massstab 1:500.");
    const only = stepWith("cadastral_plan", "PDF: /api/prints/abc", [plan]);
    expect(saidOf(only, cardsOf(only, texts, NOW))).toBe("PDF: /api/prints/abc");
  });

  it("make lines needless that only say where they come from", () => {
    const step = stepWith("height_query", "Höhe: 440 m.\n\nQuelle: Amtliche Vermessung", [parcel]);
    expect(saidOf(step, cardsOf(step, texts, NOW))).toBe("Höhe: 440 m.");
    const told = stepWith("height_query", "Was hier liegt, kommt von weit her, aus der Amtliche Vermessung", [parcel]);
    expect(saidOf(told, cardsOf(told, texts, NOW))).toBe(told.message);
  });

  it("are taken along with the answer", () => {
    const text = textOfSteps([stepWith("show_parcel", "Grundstück 198.", [parcel])], texts, NOW, PAGE);
    expect(text).toMatch(/^Grundstück 198\.\n\nGrundstück: Parzelle 198 in Messen\nFläche: 1\u202f204.4 m²\nEGRID: CH1/);
  });

  it("are none of a step that a page of before has kept", () => {
    const { results: _results, suggestions: _suggestions, ...before } = stepWith("show_parcel", "Da.", [parcel]);
    expect(cardsOf(before as StepView, texts, NOW)).toEqual([]);
  });
});

it("suggests three sentences at most, and no book", () => {
  const suggestions = ["Zeig Olten", " Zeig Olten ", "", 7, "x".repeat(201), "Zwei", "Drei", "Vier"];
  expect(readAnswer({ status: "needs_clarification", suggestions }).suggestions).toEqual(["Zeig Olten", "Zwei", "Drei"]);
  expect(readAnswer({ suggestions: "Zeig" }).suggestions).toEqual([]);
});
