/**
 * A map service for the tests, at `/service/<name>/…`. Its map is red in the east of a line and blue in the west of it, so that
 * pictures in the wrong place are seen. It keeps what it is asked for: `/asked/<name>` has the addresses.
 */

import { deflateSync } from "node:zlib";
import type { Connect, Plugin } from "vite";
import { lv95Of, type LonLat } from "../../src/lv95.js";

/** East of it the map is red; in LV95. */
const LINE_EAST = 2_607_000;
const RADIUS_M = 6_378_137;
/** The picture is made of squares of so many pixels. */
const SQUARE_PX = 8;

export function mapService(): Plugin {
  return {
    name: "map-service",
    configureServer: ({ middlewares }) => void middlewares.use(answering()),
  };
}

function answering(): Connect.NextHandleFunction {
  const asked = new Map<string, string[]>();
  return (request, response, next) => {
    const url = new URL(request.url ?? "/", "http://localhost");
    const [, kind, name = "", what] = url.pathname.split("/");
    if (kind === "asked") {
      response.setHeader("Content-Type", "application/json");
      response.end(JSON.stringify(asked.get(name) ?? []));
    } else if (kind === "service") {
      asked.set(name, [...(asked.get(name) ?? []), url.pathname + url.search]);
      response.setHeader("Cache-Control", "no-store");
      const times = asked.get(name)!.filter((address) => address === url.pathname + url.search).length;
      if (what === "broken" || what === "empty" || (what === "late" && times === 1)) {
        response.statusCode = what === "empty" ? 404 : 500;
        response.end();
        return;
      }
      response.setHeader("Content-Type", "image/png");
      response.end(url.searchParams.has("BBOX") ? drawn(url.searchParams) : picture(256, 256, () => [0, 160, 0]));
    } else next();
  };
}

/** What a web map service draws. */
function drawn(parameters: URLSearchParams): Buffer {
  const [width, height] = [Number(parameters.get("WIDTH")), Number(parameters.get("HEIGHT"))];
  const [left, bottom, right, top] = parameters.get("BBOX")!.split(",").map(Number) as [number, number, number, number];
  const isMercator = (parameters.get("CRS") ?? parameters.get("SRS")) === "EPSG:3857";
  return picture(width, height, (x, y) => {
    const place = [left + ((right - left) * x) / width, top - ((top - bottom) * y) / height] as const;
    const [east] = isMercator ? lv95Of(lonLatOf(place)) : place;
    return east > LINE_EAST ? [220, 0, 0] : [0, 0, 220];
  });
}

function lonLatOf([x, y]: readonly [number, number]): LonLat {
  const degrees = 180 / Math.PI;
  return [(x / RADIUS_M) * degrees, (2 * Math.atan(Math.exp(y / RADIUS_M)) - Math.PI / 2) * degrees];
}

type Colour = readonly [red: number, green: number, blue: number];

/** A PNG; the colour is asked for the middle of each square. */
function picture(width: number, height: number, colourAt: (x: number, y: number) => Colour): Buffer {
  const rows: Buffer[] = [];
  for (let top = 0; top < height; top += SQUARE_PX) {
    const row = Buffer.alloc(1 + 3 * width);
    for (let left = 0; left < width; left += SQUARE_PX) {
      const colour = colourAt(left + SQUARE_PX / 2, top + SQUARE_PX / 2);
      for (let x = left; x < Math.min(left + SQUARE_PX, width); x++) row.set(colour, 1 + 3 * x);
    }
    for (let y = top; y < Math.min(top + SQUARE_PX, height); y++) rows.push(row);
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk("IHDR", header), chunk("IDAT", deflateSync(Buffer.concat(rows))), chunk("IEND", Buffer.alloc(0))]);
}

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, "latin1"), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  framed.set(body, 4);
  framed.writeUInt32BE(checksum(body), body.length + 4);
  return framed;
}

function checksum(data: Buffer): number {
  let sum = ~0;
  for (const byte of data) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
  }
  return ~sum >>> 0;
}
