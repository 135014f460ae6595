/** One tab a session: a tab that is duplicated, or opened by another one, begins with a copy of its session storage. */

/** A page that is reloaded gives up its claim only as it goes; on a busy machine that takes more than a second. */
const PATIENCE_MS = 3_000;

/** A lock is in the way of its own page, too; and this page may come back to a session that it has left. */
const claims = new Map<string, Promise<boolean>>();

/** Whether the session is this page's, as long as the page lives; false when another page has it. */
export async function claim(sessionId: string): Promise<boolean> {
  // Browsers have locks only on pages with https.
  if (!navigator.locks) return true;
  const claimed = claims.get(sessionId) ?? lock(`ask.sogis/${sessionId}`);
  claims.set(sessionId, claimed);
  const isOurs = await claimed;
  if (!isOurs) claims.delete(sessionId);
  return isOurs;
}

function lock(name: string): Promise<boolean> {
  return new Promise((resolve) => {
    const hold = (lock: Lock | null): Promise<never> | undefined => {
      resolve(lock !== null);
      return lock === null ? undefined : new Promise(() => undefined);
    };
    // Who was held up himself finds his time over, whoever has it by now.
    const atLast = (): Promise<unknown> => navigator.locks.request(name, { ifAvailable: true }, hold);
    navigator.locks
      .request(name, { signal: AbortSignal.timeout(PATIENCE_MS) }, hold)
      .catch(atLast)
      .catch(() => resolve(false));
  });
}
