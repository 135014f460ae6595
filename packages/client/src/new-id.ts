/** Names that nobody else has: of sessions, and of requests that may be repeated. */

export function newId(): string {
  // `crypto.randomUUID` is missing on pages without https.
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
