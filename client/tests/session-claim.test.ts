import { expect, it, vi } from "vitest";
import { claim } from "../src/session/session-claim";

/** Locks as browsers have them, with the patience over at once: whoever has one keeps it, from its own page too. */
function locks(...taken: string[]) {
  const held = new Set(taken.map((id) => `ask.sogis/${id}`));
  return {
    request: (name: string, _options: LockOptions, hold: () => Promise<never>) => {
      if (held.has(name)) return Promise.reject(new DOMException("", "TimeoutError"));
      held.add(name);
      return hold();
    },
  };
}

it("is refused what another page has, and keeps what it has itself", async () => {
  vi.stubGlobal("navigator", { locks: locks("of another page") });
  expect(await claim("of another page")).toBe(false);
  expect(await claim("first")).toBe(true);
  expect(await claim("second")).toBe(true);
  expect(await claim("first")).toBe(true);
  vi.unstubAllGlobals();
});
