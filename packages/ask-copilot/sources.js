/** For Vite: what is written in this repository counts, not what was built of it last. */

import { fileURLToPath } from "node:url";

const at = (path) => fileURLToPath(new URL(path, import.meta.url));

export const sources = [
  { find: /^@ask-sogis\/client$/, replacement: at("../client/src/index.ts") },
  { find: /^@ask-sogis\/map-actions$/, replacement: at("../map-actions/src/index.ts") },
  { find: /^@ask-sogis\/map-actions\/(\w+)$/, replacement: at("../map-actions/src/$1/index.ts") },
  { find: /^@ask-sogis\/copilot\/(.+)$/, replacement: at("./src/$1") },
];
