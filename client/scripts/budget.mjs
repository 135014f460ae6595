/** Fails when the page became too heavy. Sizes are those that go over the wire, compressed with gzip. */

import { readdirSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const MAX_JS_BYTES = 300 * 1024;
const assets = new URL("../dist/assets/", import.meta.url);

let js = 0;
for (const name of readdirSync(assets).sort()) {
  if (!/\.(js|css)$/.test(name)) continue;
  const bytes = gzipSync(readFileSync(new URL(name, assets)), { level: 9 }).length;
  if (name.endsWith(".js")) js += bytes;
  console.log(`${(bytes / 1024).toFixed(1).padStart(7)} kB  ${name}`);
}
console.log(`${(js / 1024).toFixed(1).padStart(7)} kB  of JavaScript, ${MAX_JS_BYTES / 1024} allowed`);
if (js > MAX_JS_BYTES) process.exit(1);
