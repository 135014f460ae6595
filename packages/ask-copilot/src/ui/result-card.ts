/** What a card says of a thing that was found: one anatomy for all of them. Pure. */

import type { Fact, Origin, Parcel, Result, ResultOf } from "../chat/results";
import { coordText } from "../map/identify";
import { THIN_SPACE } from "../texts/numbers";
import type { Texts } from "../texts/texts.svelte";
import type { IconName } from "./icons";

export interface Figure {
  name: string;
  value: string;
  unit: string;
}

/** What stands out of every card. */
export interface Head {
  kind: string;
  /** What the thing is called, the best name first. */
  names: readonly string[];
  /** The most important one first. */
  figures: readonly Figure[];
  isSample: boolean;
}

interface CardLink {
  href: string;
  label: string;
  icon: IconName;
}

export interface Card extends Head {
  /** Whether what was asked about may be done. */
  verdict: { isGood: boolean; text: string } | null;
  facts: readonly Fact[];
  /** What has to be known before one relies on it. */
  notes: readonly string[];
  origins: readonly Origin[];
  links: readonly CardLink[];
  /** What it looks like. */
  picture?: string;
}

export type Words = Pick<Texts, "t" | "has" | "figure" | "day" | "language">;
type Area = Pick<Parcel, "areaM2" | "isAreaRough">;
type Told = Partial<Omit<Card, "isSample" | "origins">>;

/** As its label says it too. */
const GROUP = /\s*\((?:Gruppe|groupe|gruppo|group)\)$/i;
/** From here on lengths are told in kilometres. */
const KILOMETRE = 1_000;

/** `now` in ms since 1970: what can be had for some time only is not offered any longer. */
export function cardOf(result: Result, texts: Words, now: number): Card {
  const { label, origin } = result;
  const told = toldOf(result, texts, now);
  const doubts = [
    origin?.isStale && origin.date ? texts.t("extract.stale", { date: texts.day(origin.date) }) : "",
    result.isRough && result.type === "address" ? texts.t("card.similar") : "",
  ];
  const names = (told.names ?? []).filter(Boolean);
  return {
    kind: "",
    figures: [],
    facts: [],
    links: [],
    verdict: null,
    ...told,
    names: names.length > 0 ? names : [label || told.kind || result.id],
    notes: [...(told.notes ?? []), ...doubts.filter(Boolean)],
    origins: origin ? [origin] : [],
    isSample: origin?.isSample === true,
  };
}

/** As text to take along, with its links and where it comes from. `page` is what links begin at. */
export function textOfCard({ kind, names, figures, verdict, facts, notes, origins, links }: Card, { t, day }: Words, page: string): string {
  const isNamed = kind !== "" && kind !== names[0];
  return [
    isNamed ? `${kind}: ${names[0]}` : names[0],
    ...names.slice(1),
    verdict?.text,
    ...figures.map(({ name, value, unit }) => [`${name}:`, value, unit].filter(Boolean).join(" ")),
    ...facts.map(({ name, value, unit }) => [`${name}:`, value, unit].filter(Boolean).join(" ")),
    ...notes,
    ...links.map(({ label, href }) => `${label}: ${new URL(href, page).href}`),
    ...origins.map(
      ({ source, date, isSample }) =>
        `${t("table.source")}: ${[source, date && day(date), isSample && t("extract.sample")].filter(Boolean).join(", ")}`,
    ),
  ]
    .filter(Boolean)
    .join("\n");
}

/** Parzelle 2084 in Biberist; a right is called by its kind. */
export function nameOfParcel({ kind, number, municipality }: Parcel, { t }: Pick<Words, "t">): string {
  const isPlain = kind === "" || kind === "Liegenschaft";
  const what = isPlain ? t("point.parcel", { number }) : `${kind} ${number}`;
  return municipality ? t("point.in", { what, where: municipality }) : what;
}

export function figureOfHeight({ metres, isRough }: ResultOf<"height">, { t, figure }: Pick<Words, "t" | "figure">): Figure {
  return { name: t("point.height"), value: `${isRough ? `≈${THIN_SPACE}` : ""}${figure(metres)}`, unit: t("point.metres") };
}

export function figureOfArea({ areaM2, isAreaRough }: Area, name: string, { figure }: Pick<Words, "figure">): readonly Figure[] {
  return areaM2 === null ? [] : [{ name, value: `${isAreaRough ? `≈${THIN_SPACE}` : ""}${figure(areaM2)}`, unit: "m²" }];
}

function toldOf(result: Result, texts: Words, now: number): Told {
  const { t, figure } = texts;
  switch (result.type) {
    case "address":
      return { kind: t("point.address"), facts: [...named("EGID", result.egid), ...placed(result, texts)] };
    case "municipality": {
      const { name, district, bfsNumber } = result;
      const facts = [...named(t("card.district"), district), ...named(t("card.bfs"), bfsNumber === null ? "" : String(bfsNumber))];
      return { kind: t("card.municipality"), names: [name], facts };
    }
    case "place":
      return { kind: result.kind || t("card.place"), facts: result.where?.extent ? [] : placed(result, texts) };
    case "parcel":
      return { ...groundOf(result, texts), kind: t("point.ground") };
    case "oereb_extract": {
      const { url, mapUrl, themes, days } = result;
      const count: readonly Figure[] = themes ? [{ name: t("extract.concerned"), value: figure(themes.length), unit: "" }] : [];
      const ground = groundOf(result, texts);
      const links = [linkTo(url, t("extract.pdf"), "download"), linkTo(mapUrl, t("extract.map"), "external")];
      const [created, survey] = days.map((day) => day && texts.day(day));
      const facts = [...ground.facts, ...named(t("card.created"), created ?? ""), ...named(t("card.survey"), survey ?? "")];
      const notes = result.origin?.isSample ? [t("extract.sampleMore")] : [];
      return { ...ground, notes, kind: t("extract.title"), figures: [...ground.figures, ...count], facts, links: links.flat() };
    }
    case "cadastral_plan":
      return planOf(result, texts, now);
    case "geothermal_assessment": {
      const { isAllowed, depthM, url } = result;
      return {
        kind: t("point.probe"),
        names: result.where ? [t("card.at", { place: coordText(result.where.coord) })] : [],
        verdict: { isGood: isAllowed, text: t(isAllowed ? "card.allowed" : "card.notAllowed") },
        figures: depthM === null ? [] : [{ name: t("card.depth"), value: figure(depthM), unit: "m" }],
        links: linkTo(url, t("card.report"), "download"),
      };
    }
    case "height":
      return {
        kind: t("point.height"),
        names: result.where ? [t("card.at", { place: coordText(result.where.coord) })] : [],
        figures: [figureOfHeight(result, texts)],
      };
    case "distance": {
      const { metres, start, end } = result;
      const length =
        metres < KILOMETRE ? { value: figure(Math.round(metres)), unit: "m" } : { value: figure(round(metres / KILOMETRE)), unit: "km" };
      return {
        kind: t("card.distance"),
        names: [start && end ? `${start} – ${end}` : result.label],
        figures: [{ name: t("card.straight"), ...length }],
      };
    }
    case "coordinates":
      return coordinatesOf(result, texts);
    case "layer":
      return { kind: t("card.layer"), facts: result.attribution ? [{ name: t("table.source"), value: result.attribution }] : [] };
    case "layer_group": {
      const { length } = result.layers;
      return {
        kind: t("card.group"),
        names: [result.label.replace(GROUP, "")],
        figures: [{ name: t("layers.title"), value: figure(length), unit: "" }],
      };
    }
    case "feature":
      return { kind: result.layerLabel, facts: result.facts };
    case "feature_set": {
      const { count, aggregate } = result;
      const unit = t(count === 1 ? "table.one" : "table.many");
      const counted = { name: t("card.count"), value: figure(count), unit };
      return { kind: result.layerLabel, figures: aggregate ? [aggregated(aggregate, texts), counted] : [counted] };
    }
    case "other":
      return {};
  }
}

function groundOf(parcel: Parcel, texts: Words): { names: readonly string[]; figures: readonly Figure[]; facts: readonly Fact[] } {
  const { t } = texts;
  const { egrid, landRegister, municipality } = parcel;
  return {
    names: parcel.number ? [nameOfParcel(parcel, texts)] : [],
    figures: figureOfArea(parcel, t("point.area"), texts),
    facts: [...named("EGRID", egrid), ...named(t("card.register"), landRegister === municipality ? "" : landRegister)],
  };
}

function planOf({ url, scale, expiresAt, label }: ResultOf<"cadastral_plan">, { t, figure, language }: Words, now: number): Told {
  const until = expiresAt ? Date.parse(expiresAt) : null;
  const isOver = until !== null && until <= now;
  const moment = until === null ? "" : momentOf(until, now, language);
  return {
    kind: t("point.plan"),
    names: [label],
    figures: scale === null ? [] : [{ name: t("card.scale"), value: `1:${figure(scale)}`, unit: "" }],
    facts: moment && !isOver ? [{ name: t("card.until"), value: moment }] : [],
    notes: isOver ? [t("card.over", { moment })] : [],
    links: isOver ? [] : linkTo(url, t("table.save"), "download"),
    // There is one of what the server itself keeps.
    ...(url?.startsWith("/") && !isOver ? { picture: `${url}/picture` } : {}),
  };
}

function coordinatesOf({ where, lv03, wgs84 }: ResultOf<"coordinates">, { t }: Words): Told {
  const facts = [
    ...(lv03 ? [{ name: "LV03", value: coordText(lv03) }] : []),
    // As maps elsewhere want it: the latitude comes first.
    ...(wgs84 ? [{ name: "WGS84", value: `${wgs84[1].toFixed(5)}, ${wgs84[0].toFixed(5)}` }] : []),
  ];
  return { kind: t("card.coordinates"), ...(where ? { names: [`${coordText(where.coord)} (LV95)`] } : {}), facts };
}

function aggregated({ name, value, unit = "" }: Fact, { t, has, figure }: Words): Figure {
  const [how = "", ...what] = name.split(" ");
  const key = `card.${how}`;
  const named = [has(key) ? t(key) : how, what.join(" ")].filter(Boolean).join(" ");
  return { name: named, value: typeof value === "number" ? figure(value) : value, unit };
}

function named(name: string, value: string): readonly Fact[] {
  return value ? [{ name, value }] : [];
}

function placed({ where }: Result, { t }: Words): readonly Fact[] {
  return where ? [{ name: t("card.coordinates"), value: `${coordText(where.coord)} (LV95)` }] : [];
}

function linkTo(href: string | null, label: string, icon: IconName): readonly CardLink[] {
  return href ? [{ href, label, icon }] : [];
}

/** 14:45, with the day unless that is today. */
function momentOf(at: number, now: number, language: string): string {
  const isToday = new Date(at).toDateString() === new Date(now).toDateString();
  const day = isToday ? ({} as const) : ({ day: "numeric", month: "numeric", year: "numeric" } as const);
  return new Intl.DateTimeFormat(`${language}-CH`, { ...day, hour: "2-digit", minute: "2-digit" }).format(at);
}

/** To as many digits as a length of that size is known. */
function round(kilometres: number): number {
  return kilometres < 100 ? Math.round(kilometres * 10) / 10 : Math.round(kilometres);
}
