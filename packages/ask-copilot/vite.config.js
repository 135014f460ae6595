import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";
import { sources } from "./sources.js";

/** The style sheet goes into the program, as a text. */
function styled() {
  return {
    name: "styled",
    enforce: "post",
    generateBundle(_, bundle) {
      const sheets = Object.values(bundle).filter(({ fileName }) => fileName.endsWith(".css"));
      const text = JSON.stringify(sheets.map(({ source }) => String(source)).join("\n"));
      for (const { fileName } of sheets) delete bundle[fileName];
      for (const chunk of Object.values(bundle)) {
        if (chunk.type === "chunk") chunk.code = chunk.code.replace("__STYLES__", () => text);
      }
    },
  };
}

export default defineConfig({
  plugins: [svelte(), styled()],
  build: {
    target: "es2023",
    cssCodeSplit: false,
    reportCompressedSize: false,
    // Of all that is in the module.
    license: { fileName: "LICENSES.md" },
    lib: { entry: "src/element.ts", formats: ["es"], fileName: "ask-copilot" },
  },
  resolve: { alias: sources, ...(process.env.VITEST && { conditions: ["browser"] }) },
  test: { environment: "jsdom", include: ["tests/**/*.test.ts"], testTimeout: 60_000 },
});
