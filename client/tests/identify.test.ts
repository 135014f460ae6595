import { describe, expect, it, vi } from "vitest";
import { coordText, identify, readFound, toleranceOf, type Question } from "@ask-sogis/copilot/map/identify";
import { Inquiry } from "../src/map/inquiry.svelte";
import { headOf, spokenOf, touchedOf } from "@ask-sogis/copilot/ui/place-card";
import type { FeatureTable } from "@ask-sogis/map-actions";
import { Texts } from "@ask-sogis/copilot/texts/texts.svelte";
import { serverOf } from "../../packages/ask-copilot/tests/a-server";

const provenance = { source: "Beispieldaten", license: "", retrievedAt: "2026-11-22T10:00:00Z", sample: true };
const address = { type: "address", id: "a", label: "Rötistrasse 4, 4500 Solothurn", provenance };
const parcel = {
  type: "parcel",
  id: "p",
  label: "x",
  egrid: "CH1",
  number: "2084",
  municipality: "Biberist",
  kind: "Liegenschaft",
  areaM2: 1204,
  provenance,
};
const right = { ...parcel, id: "r", egrid: "CH2", number: "531", kind: "Baurecht", areaM2: 300 };
const height = { type: "height", id: "h", label: "x", heightM: 440.26, provenance: { ...provenance, source: "swisstopo", sample: false } };
const feature = (id: string, layer: string, attributes: object[] = []) => ({
  ...{ type: "feature", id, label: `Standort ${id}`, layer, layerLabel: `Layer ${layer}`, attributes, provenance },
});
const QUESTION: Question = { sessionId: "s", x: 2607544, y: 1228428, layers: ["a"], tolerance: 2, language: "de" };
const texts = new Texts(null);
const answer = (body: unknown, status = 200) => new Response(JSON.stringify(body), { status });
const now = () => new AbortController().signal;

describe("what is known of a place", () => {
  it("is read from the items, by layer in the order in which they came", () => {
    const zone = [
      { name: "Zone", value: "S2" },
      { name: "Fläche", value: 12.5, unit: "m²" },
    ];
    const found = readFound({
      message: "So ist es.",
      note: "Kein Eintrag: Wald.",
      items: [address, parcel, height, feature("1", "z", zone), feature("2", "y"), feature("3", "z")],
    });
    expect(found).toMatchObject({
      address: { label: address.label, where: null },
      height: { metres: 440.26, isRough: false },
      isSample: true,
      note: "Kein Eintrag: Wald.",
    });
    const { egrid, number, municipality, kind, areaM2 } = parcel;
    expect(found.parcels).toMatchObject([{ egrid, number, municipality, kind, areaM2 }]);
    expect(found.sayings.map(({ layer, things }) => [layer, things.map(({ id }) => id)])).toEqual([
      ["z", ["1", "3"]],
      ["y", ["2"]],
    ]);
    expect(found.sayings[0]?.things[0]?.facts).toEqual(zone);
    expect(found.origins).toEqual([
      { source: "Beispieldaten", date: "2026-11-22", isSample: true },
      { source: "swisstopo", date: "2026-11-22", isSample: false },
    ]);
  });

  it.each([undefined, null, 7, { items: 3 }, { items: [null, "x", { type: "height", heightM: "high" }, { type: "never_heard_of" }] }])(
    "is nothing when the server says %j",
    (document) => {
      expect(readFound(document)).toMatchObject({ address: null, parcels: [], height: null, sayings: [], origins: [] });
    },
  );

  it("leaves out what has no name or no value", () => {
    const facts = [{ name: "Leer", value: " " }, { value: 3 }, { name: "Nichts" }, { name: "Null", value: 0 }];
    expect(readFound({ items: [feature("1", "z", facts)] }).sayings[0]?.things[0]?.facts).toEqual([{ name: "Null", value: 0 }]);
  });
});

describe("the question about a place", () => {
  it.each([
    [0.1, 0.8],
    [0.01, 0.5],
    [5, 40],
    [500, 500],
  ])("at %f m a pixel reaches %f m", (resolution, metres) => {
    expect(toleranceOf(resolution)).toBe(metres);
  });

  it("goes to the server as it is, with no more layers than it takes", async () => {
    const fetch = vi.fn(async (_path: string, _init: RequestInit) => answer({ items: [] }));
    await identify(serverOf(fetch), { ...QUESTION, layers: Array.from({ length: 60 }, (_, n) => `l${n}`) }, now());
    const [path, init] = fetch.mock.calls[0]!;
    const sent = JSON.parse(init.body as string);
    expect([path, init.method, sent.layers.length]).toEqual(["api/identify", "POST", 50]);
    expect(sent).toMatchObject({ sessionId: "s", x: 2607544, y: 1228428, tolerance: 2, language: "de" });
  });

  it("that fails says why, as far as it is known", async () => {
    const refused = identify(
      serverOf(async () => answer({ code: "tool_unavailable", detail: "Zurzeit nicht." }, 503)),
      QUESTION,
      now(),
    );
    await expect(refused).rejects.toMatchObject({ problem: { code: "tool_unavailable", detail: "Zurzeit nicht." } });
    const told = identify(
      serverOf(async () => answer({ status: "error", message: "Kein Dienst.", items: [] })),
      QUESTION,
      now(),
    );
    await expect(told).rejects.toMatchObject({ problem: { detail: "Kein Dienst." } });
    const down = identify(
      serverOf(() => Promise.reject(new TypeError("down"))),
      QUESTION,
      now(),
    );
    await expect(down).rejects.toMatchObject({ problem: { code: "unreachable", detail: "" } });
    await expect(
      identify(
        serverOf(async () => new Response("<html>")),
        QUESTION,
        now(),
      ),
    ).resolves.toMatchObject({ address: null });
  });

  it("is dropped when another one comes; only the newest is answered", async () => {
    const signals: AbortSignal[] = [];
    let late: (response: Response) => void = () => undefined;
    const first = new Promise<Response>((resolve) => (late = resolve));
    const fetch = vi.fn((_: string, init: RequestInit) => {
      signals.push(init.signal!);
      return signals.length === 1 ? first : Promise.resolve(answer({ items: [parcel] }));
    });
    const inquiry = new Inquiry(serverOf(fetch));
    const asked = inquiry.ask(QUESTION);
    expect(inquiry.current.state).toBe("asking");
    await inquiry.ask(QUESTION);
    late(answer({ items: [address] }));
    expect(await asked).toBeNull();
    expect(signals.map((signal) => signal.aborted)).toEqual([true, false]);
    expect(inquiry.current).toMatchObject({ state: "found", found: { address: null, parcels: [{ number: "2084" }] } });
  });

  it("that nobody wants any more leaves no answer and no failure", async () => {
    const inquiry = new Inquiry(
      serverOf(
        (_, init) => new Promise((_, reject) => init.signal?.addEventListener("abort", () => reject(new DOMException("", "AbortError")))),
      ),
    );
    const asked = inquiry.ask(QUESTION);
    inquiry.leave();
    expect(await asked).toBeNull();
    expect(inquiry.current.state).toBe("asking");
  });
});

describe("the head of a card", () => {
  const point = [2607544.4, 1228428.2] as const;
  const head = (items: object[]) => headOf(point, null, readFound({ items }), texts);

  it("has the coordinates at once", () => {
    expect(headOf(point, null, null, texts)).toMatchObject({
      kind: "Markierte Stelle",
      names: ["2\u202f607\u202f544 / 1\u202f228\u202f428"],
      figures: [],
    });
    expect(coordText(point, "")).toBe("2607544 / 1228428");
  });

  it("has the address before the parcel, and their figures", () => {
    const { kind, names, figures, isSample } = head([address, parcel, height]);
    expect([kind, names]).toEqual(["Adresse", ["Rötistrasse 4, 4500 Solothurn", "Parzelle 2084 in Biberist"]]);
    expect(figures.map(({ value, unit }) => `${value} ${unit}`)).toEqual(["1\u202f204 m²", "440.3 m ü. M."]);
    expect(isSample).toBe(true);
    const real = { ...provenance, sample: false };
    expect(head([{ ...address, provenance: real }, feature("1", "z")]).isSample).toBe(false);
  });

  it("says when the address is another place's, and a height is rough", () => {
    expect(head([{ ...address, coord: [2607550, 1228430] }]).kind).toBe("Adresse");
    const { kind, figures } = head([
      { ...address, coord: [2607574.4, 1228468.2] },
      { ...height, provenance: { ...provenance, match: "fuzzy" } },
    ]);
    expect([kind, figures[0]?.value]).toEqual(["Nächste Adresse, 50 m entfernt", "≈\u202f440.3"]);
  });

  it("calls a building right so, and tells the areas apart", () => {
    const { kind, names, figures } = head([parcel, right]);
    expect([kind, names]).toEqual(["Grundstück", ["Parzelle 2084 in Biberist", "Baurecht 531 in Biberist"]]);
    expect(figures.map(({ name }) => name)).toEqual(["Fläche 2084", "Fläche 531"]);
  });

  it("has the feature first that was clicked", () => {
    const features = [{ type: "Feature" as const, id: "7", geometry: null, properties: { label: "Kugelfang", Zone: "S2", Leer: "" } }];
    const table: FeatureTable = {
      id: "t",
      label: "Standorte",
      features: { type: "FeatureCollection", features },
      columns: [{ name: "Zone" }, { name: "Leer" }],
      count: 1,
    };
    const touched = touchedOf([table], { table: "t", feature: "7" });
    expect(touched?.facts).toEqual([{ name: "Zone", value: "S2" }]);
    expect(headOf(point, touched, readFound({ items: [parcel] }), texts)).toMatchObject({
      kind: "Standorte",
      names: ["Kugelfang", "Parzelle 2084 in Biberist"],
    });
    expect(touchedOf([table], { table: "t", feature: "8" })).toBeNull();
    expect(touchedOf([table], null)).toBeNull();
  });

  it("can be said in a sentence, with what the layers say", () => {
    const found = readFound({ items: [parcel, feature("1", "z")] });
    expect(spokenOf(headOf(point, null, found, texts), found)).toBe("Parzelle 2084 in Biberist. Fläche 1\u202f204 m². Layer z: Standort 1");
  });
});
