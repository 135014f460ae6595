/** The server as the page knows it, with answers that are told, and no time to wait. */

import { Server } from "@ask-sogis/client";

export function serverOf(fetch: (path: string, init: RequestInit) => Promise<Response>): Server {
  return new Server({ fetch: fetch as typeof globalThis.fetch, patienceMs: 0, pause: async () => undefined });
}
