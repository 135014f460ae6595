/** `fetch` that says in which language its answer is wanted: that of the page, not that of the browser. */
export function speaking(fetch: typeof globalThis.fetch, language: () => string): typeof globalThis.fetch {
  return (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set("Accept-Language", language());
    return fetch(input, { ...init, headers });
  };
}
