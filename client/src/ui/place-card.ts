/** What a card of a place says, out of what is known of it. Pure. */

import type { FeatureRef, FeatureTable, TableProvenance } from "../map/features";
import type { Coord } from "../map/geometry";
import { coordText, type Fact, type Found, type Origin, type Parcel } from "../map/identify";
import { valueOf } from "../map/sorting";
import type { Texts } from "../texts/texts.svelte";

export interface Figure {
  name: string;
  value: string;
  unit: string;
}

export interface Head {
  kind: string;
  /** What the place is called, the best name first. */
  names: readonly string[];
  figures: readonly Figure[];
  isSample: boolean;
}

/** A drawn feature of a table. */
export interface Touched {
  table: string;
  label: string;
  facts: readonly Fact[];
  origins: readonly Origin[];
}

/** So far from its point a building still has its address. */
const AT_HOME_M = 12;

type Words = Pick<Texts, "t" | "figure">;

/** Before an answer is there, a place is called by its coordinates. */
export function headOf(point: Coord, touched: Touched | null, found: Found | null, texts: Words): Head {
  const { t } = texts;
  const parcels = (found?.parcels ?? []).map((parcel) => nameOf(parcel, texts));
  const address = found?.address ?? null;
  const names = [touched?.label ?? "", address?.label ?? "", ...parcels].filter(Boolean);
  const kind = touched ? touched.table : address ? kindOf(address, point, texts) : t(parcels.length > 0 ? "point.ground" : "point.place");
  const isSample = found?.isSample === true || (touched?.origins.some((origin) => origin.isSample) ?? false);
  return { kind, names: names.length > 0 ? names : [coordText(point, "\u202f")], figures: figuresOf(found, texts), isSample };
}

export function touchedOf(tables: readonly FeatureTable[], ref: FeatureRef | null): Touched | null {
  const table = tables.find(({ id }) => id === ref?.table);
  const feature = table?.features.features.find(({ id }) => id === ref?.feature);
  if (!table || !feature) return null;
  const facts = table.columns.flatMap(({ name, unit }): readonly Fact[] => {
    const value = valueOf(feature, name);
    return value === null ? [] : [{ name, value, ...(unit ? { unit } : {}) }];
  });
  return { table: table.label, label: feature.properties.label, facts, origins: originsOf(table.provenance) };
}

export function originsOf(provenance: TableProvenance | undefined): readonly Origin[] {
  if (!provenance?.source) return [];
  const date = provenance.retrievedAt?.slice(0, 10);
  return [{ source: provenance.source, ...(date ? { date } : {}), isSample: provenance.sample }];
}

/** In a sentence: for those who cannot see the card. */
export function spokenOf({ names, figures }: Head, found: Found): string {
  const said = figures.map(({ name, value, unit }) => `${name} ${value} ${unit}`);
  const layers = found.sayings.map(({ label, things }) => `${label}: ${things.map((thing) => thing.label).join(", ")}`);
  return [...names, ...said, ...layers].join(". ");
}

/** One that is some way off is not that of the place. */
function kindOf({ coord }: NonNullable<Found["address"]>, point: Coord, { t }: Words): string {
  const metres = coord ? Math.round(Math.hypot(coord[0] - point[0], coord[1] - point[1])) : 0;
  return metres > AT_HOME_M ? t("point.nearest", { metres }) : t("point.address");
}

function nameOf({ kind, number, municipality }: Parcel, { t }: Words): string {
  const isPlain = kind === "" || kind === "Liegenschaft";
  const what = isPlain ? t("point.parcel", { number }) : `${kind} ${number}`;
  return municipality ? t("point.in", { what, where: municipality }) : what;
}

function figuresOf(found: Found | null, { t, figure }: Words): readonly Figure[] {
  const areas = (found?.parcels ?? []).filter(({ areaM2 }) => areaM2 !== null);
  const height = found?.height ?? null;
  return [
    ...areas.map(({ areaM2, number }) => ({
      name: areas.length > 1 ? t("point.areaOf", { number }) : t("point.area"),
      value: figure(areaM2!),
      unit: "m²",
    })),
    ...(height
      ? [{ name: t("point.height"), value: `${height.isRough ? "≈\u202f" : ""}${figure(height.metres)}`, unit: t("point.metres") }]
      : []),
  ];
}
