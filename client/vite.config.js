import { fileURLToPath } from "node:url";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";

const api = process.env.ASK_URL ?? "http://127.0.0.1:8080";

export default defineConfig({
  base: "./",
  plugins: [svelte()],
  build: {
    target: "es2023",
    // A data: address would need a hole in the policy of the page.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: { proxy: { "/api": api } },
  resolve: {
    // What is written here counts, not what was built of it last.
    alias: { "@ask-sogis/client": fileURLToPath(new URL("../packages/client/src/index.ts", import.meta.url)) },
    ...(process.env.VITEST && { conditions: ["browser"] }),
  },
  test: { environment: "jsdom", include: ["tests/**/*.test.ts"] },
});
