import js from "@eslint/js";
import svelte from "eslint-plugin-svelte";
import globals from "globals";
import ts from "typescript-eslint";
import svelteConfig from "./svelte.config.js";

export default ts.config(
  { ignores: ["**/dist/"] },
  js.configs.recommended,
  ...ts.configs.recommended,
  ...svelte.configs.recommended,
  { languageOptions: { globals: { ...globals.browser, ...globals.node } } },
  {
    rules: {
      // TypeScript knows the names.
      "no-undef": "off",
      // What changes is replaced as a whole; maps and sets are either plain memory or made once.
      "svelte/prefer-svelte-reactivity": "off",
      // svelte-check is asked for them, with the reasons behind the dashes.
      "svelte/no-unused-svelte-ignore": "off",
      // A space between two elements that must not be lost.
      "svelte/no-useless-mustaches": "off",
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
    },
  },
  { files: ["**/*.svelte", "**/*.svelte.ts"], languageOptions: { parserOptions: { parser: ts.parser, svelteConfig } } },
);
