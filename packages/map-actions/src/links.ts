/** What may be opened or loaded. Addresses come from outside: anything else than the web is dropped. */

const PRINT = /^\/api\/prints\/[\w-]+$/;

/** The address if a user can open it: http(s), or a print of our own; else null. */
export function safeLink(value: unknown): string | null {
  if (typeof value !== "string" || /[\s\p{Cc}]/u.test(value)) return null;
  return PRINT.test(value) || isWeb(value) ? value : null;
}

/** Whether it is an absolute http(s) address without credentials. */
export function isWeb(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, username, password } = new URL(value);
  return (protocol === "https:" || protocol === "http:") && username + password === "";
}

/** Whether an address is of one of the hosts (`https://geo.so.ch`, `https://*.example.ch`), as in a policy. */
export function isOfHosts(value: string, hosts: readonly string[]): boolean {
  if (!URL.canParse(value)) return false;
  const { origin, protocol, host } = new URL(value);
  const isWithin = (any: string): boolean => any.startsWith(`${protocol}//*.`) && host.endsWith(any.slice(protocol.length + 3));
  return hosts.some((each) => each === origin || isWithin(each));
}
