import { afterEach, expect, it, vi } from "vitest";
import { claim } from "../src/session/session-claim";

/** Locks as browsers have them, with the patience over at once: whoever has one keeps it, from its own page too. */
function locks(...taken: string[]) {
  const held = new Set(taken.map((id) => `ask.sogis/${id}`));
  return {
    request: (name: string, { ifAvailable }: LockOptions, hold: (lock: object | null) => Promise<never>) => {
      if (held.has(name)) return ifAvailable ? hold(null) : Promise.reject(new DOMException("", "TimeoutError"));
      held.add(name);
      return hold({ name });
    },
  };
}

afterEach(() => vi.unstubAllGlobals());

it("is refused what another page has, and keeps what it has itself", async () => {
  vi.stubGlobal("navigator", { locks: locks("of another page") });
  expect(await claim("of another page")).toBe(false);
  expect(await claim("first")).toBe(true);
  expect(await claim("second")).toBe(true);
  expect(await claim("first")).toBe(true);
});

it("is this page's for all who ask while that is not known yet", async () => {
  const { request } = locks();
  const slow = async (...asked: Parameters<typeof request>) => {
    await Promise.resolve();
    return request(...asked);
  };
  vi.stubGlobal("navigator", { locks: { request: slow } });
  expect(await Promise.all([claim("twice"), claim("twice")])).toEqual([true, true]);
});

it("has what has become free while the page stood still, although its patience is over", async () => {
  const { request } = locks();
  const late = (name: string, options: LockOptions, hold: (lock: object | null) => Promise<never>) =>
    options.ifAvailable ? request(name, options, hold) : Promise.reject(new DOMException("", "TimeoutError"));
  vi.stubGlobal("navigator", { locks: { request: late } });
  expect(await claim("late")).toBe(true);
});
