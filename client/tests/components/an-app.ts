/** A component with all of the page behind it, but no server and no drawing. */

import { cleanup, configure, render } from "@testing-library/svelte";
import { userEvent } from "@testing-library/user-event";
import type { Component } from "svelte";
import { afterEach, beforeEach, vi } from "vitest";
import { AppState } from "../../src/session/app-state.svelte";
import { savePreferences } from "../../src/session/storage";
import Host from "./Host.svelte";

export const PATIENCE_MS = 20_000;
configure({ asyncUtilTimeout: PATIENCE_MS });

beforeEach(() => {
  sessionStorage.clear();
  localStorage.clear();
  vi.stubGlobal("fetch", async () => {
    throw new TypeError("no server");
  });
  // jsdom has no layout: nothing scrolls or changes its size.
  Element.prototype.scrollIntoView ??= () => undefined;
  const nothing = class {
    observe(): void {}
    disconnect(): void {}
  };
  vi.stubGlobal("ResizeObserver", nothing);
  vi.stubGlobal("CSS", { escape: (text: string) => text });
  vi.stubGlobal("matchMedia", () => Object.assign(new EventTarget(), { matches: false }));
});

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

export function shown<Props extends object>(part: Component<Props>, given: Props) {
  savePreferences({ language: "de", theme: "auto" });
  const app = new AppState();
  const { container } = render(Host<Props>, { app, part, given });
  return { app, container, user: userEvent.setup() };
}
