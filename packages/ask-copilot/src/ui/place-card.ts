/** What a card of a place says, out of what is known of it. Pure. */

import { between, type Coord, type FeatureRef, type FeatureTable, type TableProvenance } from "@ask-sogis/map-actions";
import type { Fact, Origin, ResultOf } from "../chat/results";
import { coordText, type Found } from "../map/identify";
import { valueOf } from "../map/sorting";
import type { Texts } from "../texts/texts.svelte";
import { figureOfArea, figureOfHeight, nameOfParcel, type Figure, type Head } from "./result-card";

/** A drawn feature of a table. */
interface Touched {
  table: string;
  label: string;
  facts: readonly Fact[];
  origins: readonly Origin[];
}

/** So far from its point a building still has its address. */
const AT_HOME_M = 12;

type Words = Pick<Texts, "t" | "figure">;

/** Before an answer is there, a place is called by its coordinates. */
export function headOf(point: Coord | null, touched: Touched | null, found: Found | null, texts: Words): Head {
  const { t } = texts;
  const parcels = (found?.parcels ?? []).map((parcel) => nameOfParcel(parcel, texts));
  const address = found?.address ?? null;
  const names = [touched?.label ?? "", address?.label ?? "", ...parcels].filter(Boolean);
  const kind = touched ? touched.table : address ? kindOf(address, point, texts) : t(parcels.length > 0 ? "point.ground" : "point.place");
  const isSample = found?.isSample === true || (touched?.origins.some((origin) => origin.isSample) ?? false);
  return { kind, names: names.length > 0 || !point ? names : [coordText(point)], figures: figuresOf(found, texts), isSample };
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
function kindOf({ where }: ResultOf<"address">, point: Coord | null, { t }: Words): string {
  const coord = where?.coord;
  const metres = coord && point ? Math.round(between(coord, point)) : 0;
  return metres > AT_HOME_M ? t("point.nearest", { metres }) : t("point.address");
}

function figuresOf(found: Found | null, texts: Words): readonly Figure[] {
  const { t } = texts;
  const areas = (found?.parcels ?? []).filter(({ areaM2 }) => areaM2 !== null);
  const nameOf = (number: string): string => (areas.length > 1 ? t("point.areaOf", { number }) : t("point.area"));
  return [
    ...areas.flatMap((parcel) => figureOfArea(parcel, nameOf(parcel.number), texts)),
    ...(found?.height ? [figureOfHeight(found.height, texts)] : []),
  ];
}
