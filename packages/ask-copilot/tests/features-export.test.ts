import { describe, expect, it } from "vitest";
import { csvOf, fileNameOf, geojsonOf } from "../src/map/export";
import { readTable, type FeatureTable } from "@ask-sogis/map-actions";
import { extentOf, isNumeric, placeOf, reordered, sorted, valueOf } from "../src/map/sorting";

const point = (x: number, y: number) => ({ type: "Point", coordinates: [x, y] });
const feature = (id: string, properties: object, geometry: object | null = point(2600000, 1220000)) => ({
  type: "Feature",
  id,
  geometry,
  properties,
});

function tableOf(features: object[], columns: object[] = [], more: object = {}): FeatureTable {
  return readTable({
    id: "t",
    label: "Standorte in Olten",
    features: { type: "FeatureCollection", features },
    columns,
    count: features.length,
    ...more,
  });
}

const HEADINGS = { label: "Name", source: "Quelle", date: "Stand", sample: "Muster" };
const lines = (table: FeatureTable) =>
  csvOf(table, HEADINGS)
    .replace(/^\ufeff/, "")
    .split("\r\n");

describe("a table as CSV", () => {
  it("begins with the mark of its encoding and its headings, and ends with a line break", () => {
    const table = tableOf(
      [feature("1", { label: "Halde", Fläche: 1204.5, Status: "saniert" })],
      [{ name: "Fläche", unit: "m²" }, { name: "Status" }],
    );
    expect(csvOf(table, HEADINGS)).toBe("\ufeffName,Fläche [m²],Status,E,N\r\nHalde,1204.5,saniert,2600000,1220000\r\n");
  });

  it("says where it comes from, and that it is a sample", () => {
    const provenance = { source: "Kanton, AfU", retrievedAt: "2026-11-22T10:00:00Z", sample: true };
    expect(lines(tableOf([feature("1", { label: "A" })], [], { provenance }))).toEqual([
      "Name,E,N,Quelle,Stand,Muster",
      'A,2600000,1220000,"Kanton, AfU",2026-11-22T10:00:00Z,x',
      "",
    ]);
  });

  it("quotes what would be read as something else", () => {
    const told = lines(tableOf([feature("1", { label: 'Halde "Süd", Olten' }, null)]));
    expect(told[1]).toBe('"Halde ""Süd"", Olten",,');
    expect(csvOf(tableOf([feature("1", { label: "a\nb" }, null)]), HEADINGS)).toContain('"a\nb",,');
  });

  it.each(['=HYPERLINK("x")', "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", " =1", "\r=1", "＝1", "\u0000=1"])(
    "has no formula made of %j",
    (label) => {
      const told = csvOf(tableOf([feature("1", { label, Wert: label }, null)], [{ name: "Wert" }]), HEADINGS)
        .split("\r\n")
        .slice(1)
        .join("\r\n");
      expect(told.replace(/^"/, "").startsWith("'")).toBe(true);
      expect(told).not.toMatch(/(^|,)"?[=+@＝-]/);
    },
  );

  it.each(["-12.5", "+3", "-7"])("leaves the number %s alone, also as a text", (label) => {
    expect(lines(tableOf([feature("1", { label }, null)]))[1]).toBe(`${label},,`);
    expect(lines(tableOf([feature("1", { label: "x", Wert: Number(label) }, null)], [{ name: "Wert" }]))[1]).toBe(`x,${Number(label)},,`);
  });

  it("has the middle of what is more than a point, and nothing where it is nowhere", () => {
    const area = {
      type: "Polygon",
      coordinates: [
        [
          [2600000, 1220000],
          [2600010, 1220000],
          [2600010, 1220020],
          [2600000, 1220000],
        ],
      ],
    };
    const told = lines(tableOf([feature("1", { label: "A" }, area), feature("2", { label: "B" }, null)]));
    expect(told.slice(1, 3)).toEqual(["A,2600005,1220010", "B,,"]);
  });
});

describe("a table as GeoJSON", () => {
  it("has all of it, and says in which coordinates", () => {
    const provenance = { source: "AfU", sample: true };
    const read = JSON.parse(geojsonOf(tableOf([feature("1", { label: "A", Zone: "S2" })], [{ name: "Zone" }], { provenance, count: 9 })));
    expect(read).toMatchObject({
      type: "FeatureCollection",
      name: "Standorte in Olten",
      numberMatched: 9,
      provenance: { source: "AfU", sample: true },
    });
    expect(read.crs.properties.name).toBe("urn:ogc:def:crs:EPSG::2056");
    expect(read.features).toEqual([
      { type: "Feature", id: "1", geometry: point(2600000, 1220000), properties: { label: "A", Zone: "S2" } },
    ]);
  });
});

it.each([
  ["Belastete Standorte in Zürich", "belastete-standorte-in-zuerich.csv"],
  ["Sites pollués à Château-d'Œx", "sites-pollues-a-chateau-d-x.csv"],
  ["../../etc/passwd", "etc-passwd.csv"],
  ["日本", "ask-sogis.csv"],
  ["a".repeat(200), `${"a".repeat(60)}.csv`],
])("the file of «%s» is called %s", (label, name) => {
  expect(fileNameOf(label, "csv")).toBe(name);
});

describe("the rows of a table", () => {
  const table = tableOf(
    [
      feature("1", { label: "Halde 10", Fläche: 20, Zone: "S2" }),
      feature("2", { label: "Äussere Halde", Fläche: 3, Zone: "" }),
      feature("3", { label: "Halde 9", Zone: "S10" }),
      feature("4", { label: "Zelg", Fläche: 100, Zone: "S1" }, null),
    ],
    [{ name: "Fläche", unit: "m²" }, { name: "Zone" }],
  );
  const ids = (column: string | null, isDescending = false) =>
    sorted(table.features.features, { column, isDescending }, "de").map(({ id }) => id);

  it("are sorted by numbers as numbers and by texts as people do, what is missing last either way", () => {
    expect(ids("Fläche")).toEqual(["2", "1", "4", "3"]);
    expect(ids("Fläche", true)).toEqual(["4", "1", "2", "3"]);
    expect(ids("Zone")).toEqual(["4", "1", "3", "2"]);
    expect(ids(null)).toEqual(["2", "3", "1", "4"]);
    expect(sorted(table.features.features, null, "de")).toBe(table.features.features);
  });

  it("go up, down, and back as they came", () => {
    const up = reordered(null, "Zone");
    const down = reordered(up, "Zone");
    expect([up, down, reordered(down, "Zone")]).toEqual([
      { column: "Zone", isDescending: false },
      { column: "Zone", isDescending: true },
      null,
    ]);
    expect(reordered(down, null)).toEqual({ column: null, isDescending: false });
  });

  it("know which columns are numbers, and what they have not", () => {
    expect([isNumeric(table, "Fläche"), isNumeric(table, "Zone")]).toEqual([true, false]);
    const [first] = table.features.features;
    expect([valueOf(first!, "toString"), valueOf(first!, "Nie")]).toEqual([null, null]);
  });

  it("know where they are, as far as they are anywhere", () => {
    expect(extentOf(table.features.features)).toEqual([2600000, 1220000, 2600000, 1220000]);
    expect([extentOf([]), placeOf(table.features.features[3]!)]).toEqual([null, null]);
  });
});
