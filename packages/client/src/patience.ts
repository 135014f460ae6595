/** When something is tried again, and after how long. */

import { problemBehind, Refused, Unreachable } from "./problems.js";

/** Waits, or less long when there is a reason to try at once. */
export type Pause = (ms: number, signal?: AbortSignal) => Promise<void>;

const FIRST_PAUSE_MS = 400;
const MAX_PAUSE_MS = 8_000;
/** Answers of a server that has too much to do, of a proxy, and of a server that restarts. */
const PASSING = new Set<number | null>([429, 502, 503]);

export function isPassing(status: number | null): boolean {
  return PASSING.has(status);
}

/** Longer and longer; `attempts` were in vain. */
export function backOff(attempts: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** (attempts - 1), MAX_PAUSE_MS);
}

/** Repeats what fails for the moment only, until it would have to wait for more than `patienceMs` in all. */
export async function patiently<T>(once: () => Promise<T>, patienceMs: number, pause: Pause, signal?: AbortSignal): Promise<T> {
  let left = patienceMs;
  for (let attempts = 1; ; attempts++) {
    try {
      return await once();
    } catch (error) {
      const isWorthIt = error instanceof Unreachable || (error instanceof Refused && isPassing(error.status));
      const { retryAfter } = problemBehind(error);
      const ms = retryAfter === undefined ? backOff(attempts) : retryAfter * 1_000;
      if (!isWorthIt || ms > left) throw error;
      left -= ms;
      await pause(ms, signal);
      signal?.throwIfAborted();
    }
  }
}

export const wait: Pause = (ms, signal) =>
  new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener("abort", done);
  });
