/** An extract of the cadastre of restrictions (ÖREB), in the groups in which it is shown. All of it comes from outside. */

import { fieldsOf, isFields, listOf, textOf, type Fields } from "@ask-sogis/client";
import { isWeb, readAction, safeLink, type ExtractLinks } from "@ask-sogis/map-actions";
import { layerOfRequest, type WmsLayer } from "../map/wms-request";
import { factsOf } from "./standing";

type LawStatus = "inForce" | "changeWithPreEffect" | "changeWithoutPreEffect" | "unknown";
type DocumentKind = "LegalProvision" | "Law" | "Hint" | "Document";

interface Office {
  name: string;
  url: string | null;
}

interface LegalDocument {
  kind: DocumentKind;
  title: string;
  /** Its numbers and articles. */
  about: string;
  url: string | null;
  status: LawStatus;
}

export interface ExtractLayer extends WmsLayer {
  /** The same for restrictions that are drawn by the same layer. */
  id: string;
  legendUrl?: string;
  /** 0 to 1 */
  opacity: number;
}

export interface Restriction {
  text: string;
  /** Null where the extract contradicts itself: then nothing is certain. */
  status: LawStatus | null;
  /** Of the parcel's area. */
  percent: number | null;
  areaM2: number | null;
  lengthM: number | null;
  points: number | null;
  /** The address of a picture, or its pixels. */
  symbol: string | null;
  office: Office | null;
  /** Only where its theme has not one for all. */
  layer: ExtractLayer | null;
}

export interface ThemeGroup {
  title: string;
  restrictions: readonly Restriction[];
  /** That of all its restrictions. */
  layer: ExtractLayer | null;
  /** Of its restrictions, each once. */
  documents: readonly LegalDocument[];
}

interface Notice {
  title: string;
  text: string;
}

export interface Content {
  /** Days as `2026-11-22`. */
  createdOn: string | null;
  surveyOf: string | null;
  concerned: readonly ThemeGroup[];
  /** Themes of which the extract says one thing and another. */
  contradictory: readonly ThemeGroup[];
  notConcerned: readonly string[];
  /** Themes of which nobody can tell. */
  withoutData: readonly string[];
  authority: Office | null;
  notices: readonly Notice[];
  glossary: readonly Notice[];
}

export interface Extract extends ExtractLinks {
  number: string;
  municipality: string;
  kind: string;
  areaM2: number | null;
  isSample: boolean;
  source: string;
  /** When the source said so, if that was some time ago. */
  staleSince: string | null;
  /** Null when it could not be read: its links are all there is. */
  content: Content | null;
}

const STATUSES: readonly LawStatus[] = ["inForce", "changeWithPreEffect", "changeWithoutPreEffect"];
const KINDS: readonly DocumentKind[] = ["LegalProvision", "Law", "Hint", "Document"];
const LOCAL_TIME = /^\d{4}-\d{2}-\d{2}T[\d:.]+$/;
const PIXELS = /^data:image\/(?:png|jpeg|gif);base64,[A-Za-z0-9+/]+={0,2}$/;

/** The extract that a map action would show; null when it shows none. */
export function readExtract(value: unknown): Extract | null {
  try {
    const action = readAction(value);
    if (action.type !== "showOerebExtract") return null;
    const { number, municipality, kind, areaM2, content, provenance } = fieldsOf(fieldsOf(value)["payload"]);
    const { source, sample, stale, retrievedAt } = fieldsOf(provenance);
    return {
      ...action.payload,
      number: textOf(number),
      municipality: textOf(municipality),
      kind: textOf(kind),
      areaM2: quantityOf(areaM2),
      isSample: sample === true,
      source: textOf(source),
      staleSince: stale === true ? dayOf(retrievedAt) : null,
      content: isFields(content) ? readContent(content) : null,
    };
  } catch {
    return null;
  }
}

export function isPlanned({ status }: { status: LawStatus | null }): boolean {
  return status === "changeWithPreEffect" || status === "changeWithoutPreEffect";
}

function readContent(content: Fields): Content {
  const facts = factsOf(content);
  const documents = listOf(content["documents"]).map(readDocument);
  const groups = (wanted: string) =>
    facts.filter(({ standing }) => standing === wanted).map(({ title, restrictions }) => groupOf(title, restrictions, documents));
  const titles = (wanted: string) => facts.filter(({ standing }) => standing === wanted).map(({ title }) => title);
  return {
    createdOn: dayOf(content["createdAt"]),
    surveyOf: dayOf(content["updatedAt"]),
    concerned: groups("concerned"),
    contradictory: groups("contradictory").map(withoutStatus),
    notConcerned: titles("notConcerned"),
    withoutData: titles("withoutData"),
    authority: readOffice(content["authority"]),
    notices: [...noticesOf(content["disclaimers"]), ...noticesOf(content["information"])],
    glossary: noticesOf(content["glossary"]),
  };
}

function groupOf(title: string, members: readonly Fields[], all: readonly LegalDocument[]): ThemeGroup {
  const read = members.map(readRestriction);
  const ids = new Set(read.flatMap(({ layer }) => layer?.id ?? []));
  const layer = ids.size === 1 ? (read.find((each) => each.layer)?.layer ?? null) : null;
  const places = new Set(members.flatMap((member) => listOf(member["documents"])));
  const documents = all.filter((_, place) => places.has(place));
  return {
    title,
    restrictions: layer ? read.map((each) => ({ ...each, layer: null })) : read,
    layer,
    documents: KINDS.flatMap((kind) => documents.filter((each) => each.kind === kind)),
  };
}

function withoutStatus(group: ThemeGroup): ThemeGroup {
  return { ...group, restrictions: group.restrictions.map((each) => ({ ...each, status: null })) };
}

function readRestriction({ text, lawStatus, percent, areaM2, lengthM, points, symbol, office, map }: Fields): Restriction {
  return {
    text: textOf(text),
    status: statusOf(lawStatus),
    percent: quantityOf(percent),
    areaM2: quantityOf(areaM2),
    lengthM: quantityOf(lengthM),
    points: quantityOf(points) || null,
    symbol: symbolOf(symbol),
    office: readOffice(office),
    layer: readLayer(fieldsOf(map)),
  };
}

function readLayer({ wmsUrl, legendUrl, opacity }: Fields): ExtractLayer | null {
  const layer = layerOfRequest(wmsUrl);
  if (layer === null) return null;
  const isShare = typeof opacity === "number" && opacity > 0 && opacity <= 1;
  const legend = typeof legendUrl === "string" && isWeb(legendUrl) ? { legendUrl } : {};
  return { ...layer, id: `oereb-${digest(JSON.stringify(layer))}`, ...legend, opacity: isShare ? opacity : 1 };
}

function readDocument(value: unknown): LegalDocument {
  const { kind, title, abbreviation, officialNumber, articles, url, lawStatus } = fieldsOf(value);
  const about = [textOf(abbreviation), textOf(officialNumber), listOf(articles).map(textOf).filter(Boolean).join(", ")];
  return {
    kind: KINDS.find((each) => each === kind) ?? "Document",
    title: textOf(title),
    about: about.filter(Boolean).join(" · "),
    url: safeLink(url),
    status: statusOf(lawStatus),
  };
}

function readOffice(value: unknown): Office | null {
  const { name, url } = fieldsOf(value);
  return textOf(name) ? { name: textOf(name), url: safeLink(url) } : null;
}

function noticesOf(value: unknown): readonly Notice[] {
  const notices = listOf(value)
    .map(fieldsOf)
    .map(({ title, text }) => ({ title: textOf(title), text: textOf(text) }));
  return notices.filter(({ title, text }) => title || text);
}

function statusOf(value: unknown): LawStatus {
  return STATUSES.find((each) => each === value) ?? "unknown";
}

function symbolOf(value: unknown): string | null {
  return typeof value === "string" && (PIXELS.test(value) || isWeb(value)) ? value : null;
}

function quantityOf(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : null;
}

/** The day in Switzerland; services write local time where they name no zone. */
function dayOf(value: unknown): string | null {
  const text = textOf(value);
  const at = Date.parse(text);
  if (Number.isNaN(at)) return null;
  return LOCAL_TIME.test(text) ? text.slice(0, 10) : new Intl.DateTimeFormat("sv-SE", { timeZone: "Europe/Zurich" }).format(at);
}

/** FNV-1a: a short name, the same for the same text. */
function digest(text: string): string {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ character.codePointAt(0)!, 0x01000193);
  return (hash >>> 0).toString(36);
}
