/** A layer from the address of one of its pictures. */

import { isWeb } from "@ask-sogis/map-actions";

export interface WmsLayer {
  url: string;
  /** What a picture of any place is asked for with. */
  parameters: Readonly<Record<string, string>>;
}

/** What each picture says anew, and what makes no layer of a map: errors drawn as pictures, and their size on paper. */
const OF_ONE_PICTURE = new Set(["SERVICE", "REQUEST", "BBOX", "WIDTH", "HEIGHT", "CRS", "SRS", "EXCEPTIONS", "DPI", "TRANSPARENT"]);
const STANDARD = new Set(["VERSION", "LAYERS", "STYLES", "FORMAT"]);

/** The layer of a GetMap request; parameters of the vendor stay as they are. Null when it is no such request. */
export function layerOfRequest(address: unknown): WmsLayer | null {
  if (typeof address !== "string" || !isWeb(address)) return null;
  const { origin, pathname, searchParams } = new URL(address);
  const parameters: Record<string, string> = {};
  for (const [name, value] of searchParams) {
    const standard = name.toUpperCase();
    if (standard === "REQUEST" && value.toLowerCase() !== "getmap") return null;
    if (!OF_ONE_PICTURE.has(standard)) parameters[STANDARD.has(standard) ? standard : name] = value;
  }
  // Other pictures would hide what lies below.
  if (!parameters["FORMAT"]?.startsWith("image/png")) delete parameters["FORMAT"];
  return parameters["LAYERS"] ? { url: origin + pathname, parameters: { ...parameters, TRANSPARENT: "TRUE" } } : null;
}
