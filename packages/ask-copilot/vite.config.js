import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";
import { sources } from "./sources.js";

export default defineConfig({
  plugins: [svelte()],
  resolve: { alias: sources, ...(process.env.VITEST && { conditions: ["browser"] }) },
  test: { environment: "jsdom", include: ["tests/**/*.test.ts"] },
});
