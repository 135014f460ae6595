// Puts a .br and a .gz beside every text in dist: the server sends them as they are.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const dist = fileURLToPath(new URL("../dist", import.meta.url));
const texts = new Set([".css", ".geojson", ".html", ".js", ".json", ".map", ".svg", ".txt", ".webmanifest"]);
/** Below this the headers weigh more than what is saved. */
const worthwhileBytes = 1024;

for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || !texts.has(extname(entry.name))) continue;
  const path = join(entry.parentPath ?? entry.path, entry.name);
  const content = readFileSync(path);
  if (content.length < worthwhileBytes) continue;
  const params = { [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
  writeFileSync(`${path}.br`, brotliCompressSync(content, { params }));
  writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
}
