/** The tests that need a browser which draws: Debian's Chromium without windows, with WebGL on the processor. */

import { playwright } from "@vitest/browser-playwright";
import { defineConfig } from "vitest/config";
import { mapService } from "./tests/browser/map-service.js";

export default defineConfig({
  plugins: [mapService()],
  // It looks for its worker beside itself.
  // Anew each time: what is found only on the way loads a test once more, and fails it.
  optimizeDeps: { exclude: ["maplibre-gl"], force: true },
  test: {
    include: ["tests/browser/*.test.ts"],
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    browser: {
      enabled: true,
      headless: true,
      screenshotFailures: false,
      viewport: { width: 800, height: 600 },
      provider: playwright({
        launchOptions: {
          executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium-headless-shell",
          args: ["--no-sandbox", "--disable-gpu-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
        },
      }),
      instances: [{ browser: "chromium" }],
    },
  },
});
