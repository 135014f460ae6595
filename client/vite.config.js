import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";
import { readPlaces, SOURCES } from "./scripts/places.mjs";

/**
 * The municipalities and localities of the embedded data, as a module; see `src/map/places.ts`.
 *
 * @returns {import("vite").Plugin}
 */
function places() {
  const name = "virtual:places";
  return {
    name: "places",
    resolveId: (id) => (id === name ? `\0${name}` : undefined),
    load(id) {
      if (id !== `\0${name}`) return undefined;
      for (const file of SOURCES) this.addWatchFile(file);
      return `export default ${JSON.stringify(readPlaces())}`;
    },
  };
}

const api = process.env.ASK_URL ?? "http://127.0.0.1:8080";

export default defineConfig({
  base: "./",
  plugins: [places(), svelte()],
  build: {
    target: "es2023",
    // A data: address would need a hole in the policy of the page.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: { proxy: { "/api": api } },
  resolve: process.env.VITEST ? { conditions: ["browser"] } : {},
  test: { environment: "jsdom", include: ["tests/**/*.test.ts"] },
});
