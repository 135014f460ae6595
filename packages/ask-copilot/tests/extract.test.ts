import { describe, expect, it, vi } from "vitest";
import { isPlanned, readExtract, type Content, type Extract } from "../src/chat/extract";
import { layerOfRequest } from "../src/map/wms-request";
import { Texts } from "../src/texts/texts.svelte";

const PDF = "https://geo.so.ch/api/oereb/extract/pdf/?EGRID=CH1";
const zones = { code: "ch.Nutzungsplanung", title: "Nutzungsplanung" };
const water = { code: "ch.Grundwasserschutzzonen", title: "Grundwasserschutzzonen" };
const noise = { code: "ch.Laerm", title: "Lärm" };
const wms = (layers: string, more = "") =>
  `https://geo.so.ch/api/wms?SERVICE=WMS&REQUEST=GetMap&VERSION=1.3.0&LAYERS=${layers}&STYLES=&CRS=EPSG:2056&BBOX=1,2,3,4&WIDTH=9&HEIGHT=9${more}`;

const show = (payload: object) => ({ type: "showOerebExtract", payload: { egrid: "CH1", url: PDF, ...payload } });

function extractOf(payload: object): Extract {
  const extract = readExtract(show(payload));
  if (!extract) throw new Error("no extract");
  return extract;
}

function contentOf(content: object): Content {
  return extractOf({ content }).content!;
}

describe("an extract", () => {
  it("without content has its links and what is known of the parcel", () => {
    const extract = extractOf({
      number: "2084",
      municipality: "Biberist",
      kind: "Liegenschaft",
      areaM2: 1204,
      mapUrl: "javascript:alert(1)",
    });
    expect(extract).toMatchObject({ egrid: "CH1", url: PDF, number: "2084", municipality: "Biberist", areaM2: 1204, content: null });
    expect(extract.mapUrl).toBeUndefined();
  });

  it("that was read is shown without its PDF, one that was not has nothing to show", () => {
    expect(readExtract(show({ url: "", content: { concerned: [] } }))?.url).toBeUndefined();
    expect(readExtract(show({ url: "", content: { concerned: [] } }))?.content).not.toBeNull();
    expect(readExtract(show({ url: "" }))).toBeNull();
    expect(readExtract({ type: "clearMap", payload: {} })).toBeNull();
  });

  it("is a sample, and from a time ago, where its provenance says so", () => {
    const provenance = { source: "Kataster", sample: true, stale: true, retrievedAt: "2026-11-21T23:30:00Z" };
    expect(extractOf({ provenance })).toMatchObject({ isSample: true, source: "Kataster", staleSince: "2026-11-22" });
    expect(extractOf({ provenance: { source: "Kataster", retrievedAt: "2026-11-21T23:30:00Z" } })).toMatchObject({
      isSample: false,
      staleSince: null,
    });
  });

  it.each([
    ["2026-11-22T18:30:00", "2026-11-22"],
    ["2026-11-22T18:30:00.000001", "2026-11-22"],
    ["2026-11-22", "2026-11-22"],
    ["2026-11-22T23:30:00Z", "2026-11-23"],
    ["2026-11-22T18:30:00-08:00", "2026-11-23"],
    ["2026-13-22T18:30:00", null],
    ["yesterday", null],
  ])("that was made at %s is of %s, wherever it is read", (createdAt, day) => {
    vi.stubEnv("TZ", "America/Los_Angeles");
    expect(contentOf({ createdAt }).createdOn).toBe(day);
    vi.unstubAllEnvs();
  });

  it("has its restrictions by theme, in the order of its themes, also a theme without any", () => {
    const { concerned } = contentOf({
      concerned: [zones, noise, water],
      restrictions: [
        { theme: water, text: "Zone S3" },
        { theme: zones, text: "Wohnzone" },
        { theme: zones, text: "Ortsbild" },
      ],
    });
    expect(concerned.map(({ title, restrictions }) => [title, ...restrictions.map(({ text }) => text)])).toEqual([
      ["Nutzungsplanung", "Wohnzone", "Ortsbild"],
      ["Lärm"],
      ["Grundwasserschutzzonen", "Zone S3"],
    ]);
  });

  it("keeps parts of a theme apart, and does not repeat the whole", () => {
    const part = (subCode: string) => ({ ...zones, subCode, title: subCode });
    const { concerned } = contentOf({
      concerned: [zones, part("a")],
      restrictions: [
        { theme: part("a"), text: "x" },
        { theme: part("b"), text: "y" },
      ],
    });
    expect(concerned.map(({ title }) => title)).toEqual(["a", "b"]);
  });

  it("takes nothing for certain of a theme that is in two lists", () => {
    const { contradictory, notConcerned, withoutData } = contentOf({ notConcerned: [zones], withoutData: [zones, water] });
    expect([contradictory.map(({ title }) => title), notConcerned, withoutData]).toEqual([
      ["Nutzungsplanung"],
      [],
      ["Grundwasserschutzzonen"],
    ]);
  });

  it.each([
    ["inForce", false],
    ["changeWithPreEffect", true],
    ["changeWithoutPreEffect", true],
  ])("knows that %s is planned: %s", (lawStatus, planned) => {
    const [theme] = contentOf({ concerned: [zones], restrictions: [{ theme: zones, text: "x", lawStatus }] }).concerned;
    expect([theme?.restrictions[0]?.status, theme?.restrictions.map(isPlanned)]).toEqual([lawStatus, [planned]]);
  });

  it.each([undefined, null, "law", 7])("takes a law status that it does not know, %j, neither for law nor for a plan", (lawStatus) => {
    const [theme] = contentOf({ concerned: [zones], restrictions: [{ theme: zones, text: "x", lawStatus }] }).concerned;
    expect(theme?.restrictions[0]).toMatchObject({ status: "unknown" });
    expect(theme?.restrictions.some(isPlanned)).toBe(false);
  });

  it("tells no law status of what contradicts itself", () => {
    const restrictions = [
      { theme: zones, text: "x", lawStatus: "inForce" },
      { theme: zones, text: "y", lawStatus: "changeWithPreEffect" },
    ];
    const [theme] = contentOf({ notConcerned: [zones], restrictions }).contradictory;
    expect(theme?.restrictions.map(({ text, status }) => [text, status])).toEqual([
      ["x", null],
      ["y", null],
    ]);
    expect(theme?.restrictions.some(isPlanned)).toBe(false);
  });

  it.each([
    [2, 2],
    [0, null],
  ])("of %d points tells %j", (points, told) => {
    const [theme] = contentOf({ concerned: [zones], restrictions: [{ theme: zones, text: "x", points }] }).concerned;
    expect(theme?.restrictions[0]?.points).toBe(told);
  });

  it("tells themes without data from those that do not concern the parcel", () => {
    const { notConcerned, withoutData } = contentOf({ notConcerned: [water], withoutData: [noise, { code: "ch.X" }] });
    expect([notConcerned, withoutData]).toEqual([["Grundwasserschutzzonen"], ["Lärm", "ch.X"]]);
  });

  it("shows the documents of a theme once, provisions before laws", () => {
    const documents = [
      { title: "Ohne Art" },
      {
        kind: "Law",
        title: "Planungsgesetz",
        abbreviation: "PBG",
        officialNumber: "711.1",
        articles: ["Art. 14", "Art. 15"],
        url: "https://bgs.so.ch/711.1",
      },
      { kind: "LegalProvision", title: "Zonenreglement", url: "javascript:alert(1)", lawStatus: "changeWithoutPreEffect" },
      { kind: "Law", title: "von einem anderen Thema" },
    ];
    const restrictions = [
      { theme: zones, text: "a", documents: [0, 1, 2] },
      { theme: zones, text: "b", documents: [1, 99, -1, "1"] },
    ];
    const [theme] = contentOf({ concerned: [zones], documents, restrictions }).concerned;
    expect(theme?.documents).toEqual([
      { kind: "LegalProvision", title: "Zonenreglement", about: "", url: null, status: "changeWithoutPreEffect" },
      { kind: "Law", title: "Planungsgesetz", about: "PBG · 711.1 · Art. 14, Art. 15", url: "https://bgs.so.ch/711.1", status: "unknown" },
      { kind: "Document", title: "Ohne Art", about: "", url: null, status: "unknown" },
    ]);
  });

  it.each([
    ["data:image/png;base64,iVBORw0KGgo=", true],
    ["https://geo.so.ch/symbol.png", true],
    ["data:image/svg+xml;base64,PHN2Zy8+", false],
    ["data:image/svg+xml,<svg onload=alert(1)>", false],
    ["data:text/html;base64,PHNjcmlwdD4=", false],
    ["javascript:alert(1)", false],
    ["/symbol.png", false],
    [7, false],
  ])("shows the symbol %s: %s", (symbol, isShown) => {
    const [theme] = contentOf({ concerned: [zones], restrictions: [{ theme: zones, text: "x", symbol }] }).concerned;
    expect(theme?.restrictions[0]?.symbol).toBe(isShown ? symbol : null);
  });

  it("has one layer for a theme that is drawn by one, else one for each restriction", () => {
    const of = (...maps: object[]) =>
      contentOf({ concerned: [zones], restrictions: maps.map((map) => ({ theme: zones, text: "x", map })) }).concerned[0]!;
    const one = of({ wmsUrl: wms("a") }, { wmsUrl: wms("a", "&BBOX=5,6,7,8") }, {});
    expect([one.layer?.parameters["LAYERS"], one.restrictions.map(({ layer }) => layer)]).toEqual(["a", [null, null, null]]);
    const two = of(
      { wmsUrl: wms("a"), opacity: 0.6, legendUrl: "https://geo.so.ch/legend" },
      { wmsUrl: wms("b"), opacity: 7, legendUrl: "x" },
    );
    expect([two.layer, two.restrictions.map(({ layer }) => layer?.id)]).toEqual([null, [one.layer?.id, expect.stringMatching(/^oereb-/)]]);
    expect(two.restrictions.map(({ layer }) => [layer?.opacity, layer?.legendUrl])).toEqual([
      [0.6, "https://geo.so.ch/legend"],
      [1, undefined],
    ]);
  });

  it.each([
    7,
    "x",
    [],
    [[]],
    { restrictions: 7 },
    { restrictions: [null, 7, {}] },
    { documents: [7], restrictions: [{ documents: [0] }] },
    { concerned: [null] },
  ])("is not upset by nonsense: %j", (content) => expect(() => readExtract(show({ content }))).not.toThrow());
});

describe("the layer of a request for a picture", () => {
  it("is asked for without what only one picture has, and keeps what the vendor wants", () => {
    const address = wms("ch.a,ch.b", "&map=/zonen.map&FORMAT=image/png;%20mode=8bit&dpi=96&transparent=false&exceptions=INIMAGE");
    expect(layerOfRequest(address)).toEqual({
      url: "https://geo.so.ch/api/wms",
      parameters: {
        VERSION: "1.3.0",
        LAYERS: "ch.a,ch.b",
        STYLES: "",
        map: "/zonen.map",
        FORMAT: "image/png; mode=8bit",
        TRANSPARENT: "TRUE",
      },
    });
  });

  it("reads names in small letters, and wants no picture that would hide the map below", () => {
    const layer = layerOfRequest("https://wms.example/?service=WMS&request=getmap&version=1.1.1&layers=x&srs=EPSG:21781&format=image/jpeg");
    expect(layer?.parameters).toEqual({ VERSION: "1.1.1", LAYERS: "x", TRANSPARENT: "TRUE" });
  });

  it.each([
    "javascript:alert(1)",
    "https://u:p@geo.so.ch/?LAYERS=x",
    "https://geo.so.ch/",
    "https://geo.so.ch/?REQUEST=GetLegendGraphic&LAYERS=x",
    7,
    null,
  ])("is none of %j", (address) => expect(layerOfRequest(address)).toBeNull());
});

describe("a quantity", () => {
  it.each([
    [0, "%", "0 %"],
    [0.04, "%", "< 0.1 %"],
    [41.25, "%", "41.3 %"],
    [99.97, "%", "99.9 %"],
    [100, "%", "100 %"],
    [12.34, "m", "12.3 m"],
  ])("of %d %s is written %s", (value, unit, written) => {
    expect(new Texts("de").quantity(value, unit).replace(/\u00a0/g, " ")).toBe(written);
  });
});
