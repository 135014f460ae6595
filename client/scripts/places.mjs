/** What the map shows when no tile service answers: names of places with their points, from the embedded data. */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const DATA = new URL("../../services/tools-geo/src/tools_geo/data/", import.meta.url);
const MUNICIPALITIES = new URL("municipalities.csv", DATA);
const LOCALITIES = new URL("localities.csv", DATA);

export const SOURCES = [MUNICIPALITIES, LOCALITIES].map((url) => fileURLToPath(url));

/** The centres of the canton, the capital first: what a small scale map names first. */
const TOWNS = ["Solothurn", "Olten", "Grenchen"];
const LARGE = new Set([
  ..."Zuchwil Biberist Dornach Balsthal Oensingen Breitenbach Trimbach Derendingen Bellach".split(" "),
  ..."Gerlafingen Hägendorf Schönenwerd Niedergösgen Bettlach Messen Selzach".split(" "),
  "Wangen bei Olten",
  "Mümliswil-Ramiswil",
]);

/** @returns {[name: string, east: number, north: number, rank: number][]} rank 0 is the most important. */
export function readPlaces() {
  const municipalities = rows(MUNICIPALITIES)
    .filter((row) => row.east && row.north)
    .map((row) => {
      const name = row.name.replace(/ \(SO\)$/, "");
      return [name, Number(row.east), Number(row.north), TOWNS.includes(name) ? 0 : LARGE.has(name) ? 1 : 2];
    });
  const taken = new Set(municipalities.map(([, east, north]) => `${east},${north}`));
  const localities = rows(LOCALITIES)
    .filter((row) => row.east && row.north && !taken.has(`${row.east},${row.north}`))
    .map((row) => [row.name.replace(/ SO$/, ""), Number(row.east), Number(row.north), 3]);
  const order = (place) => (place[3] === 0 ? TOWNS.indexOf(place[0]) : TOWNS.length + place[3]);
  return [...municipalities, ...localities].sort((a, b) => order(a) - order(b));
}

/** @param {URL} file A CSV with a header; no field of these two is quoted. */
function rows(file) {
  const [head, ...lines] = readFileSync(file, "utf8").trim().split(/\r?\n/);
  const columns = head.split(",");
  return lines.map((line) => Object.fromEntries(line.split(",").map((field, n) => [columns[n], field])));
}
