/** The parameters of a map service. */

/** Those that say which part of the map is asked for, and how large. */
const OF_VIEW = new Set(["BBOX", "CRS", "SRS", "WIDTH", "HEIGHT"]);

/** The parameters that came from outside, by their names in capitals, whichever way they were written; without those of the view. */
export function wmsParameters(parameters: Readonly<Record<string, string>>): Record<string, string> {
  const named = Object.entries(parameters).map(([name, value]) => [name.toUpperCase(), value] as const);
  return Object.fromEntries(named.filter(([name]) => !OF_VIEW.has(name)));
}

/** What a pixel is in the standard: 0.28 mm. */
const DPI = 90;

/**
 * The address of a picture in web mercator, with a place for its extent as MapLibre fills it in. `size` in pixels, of which `ratio` are one
 * of the page: signs and letters are drawn that much larger.
 */
export function wmsTemplate(address: string, parameters: Readonly<Record<string, string>>, size: number, ratio: number): string {
  const url = new URL(address);
  url.hash = "";
  const defaults = { SERVICE: "WMS", REQUEST: "GetMap", VERSION: "1.3.0", FORMAT: "image/png", TRANSPARENT: "TRUE", STYLES: "" };
  const wanted: Record<string, string> = { ...defaults, ...wmsParameters(parameters) };
  wanted[wanted["VERSION"]!.startsWith("1.3") ? "CRS" : "SRS"] = "EPSG:3857";
  wanted["WIDTH"] = wanted["HEIGHT"] = String(size);
  if (ratio > 1) wanted["DPI"] = String(DPI * ratio);
  for (const name of [...url.searchParams.keys()]) {
    if (Object.hasOwn(wanted, name.toUpperCase()) || OF_VIEW.has(name.toUpperCase())) url.searchParams.delete(name);
  }
  for (const [name, value] of Object.entries(wanted)) url.searchParams.set(name, value);
  return `${url.href}&BBOX={bbox-epsg-3857}`;
}
