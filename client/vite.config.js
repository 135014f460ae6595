import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";
import { sources } from "../packages/ask-copilot/sources.js";

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
    alias: sources,
    ...(process.env.VITEST && { conditions: ["browser"] }),
  },
  test: { environment: "jsdom", include: ["tests/**/*.test.ts"], testTimeout: 60_000 },
});
