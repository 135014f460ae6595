/** The map service of the tests, as the tests know it. */

let count = 0;

/**
 * The address of a service that nobody has asked yet: a fine one answers, a broken one does not (500), an empty one has nothing
 * (404), and a late one answers when it is asked the same again.
 */
export function newService(kind: "fine" | "broken" | "empty" | "late" = "fine"): string {
  return `${location.origin}/service/${Date.now()}-${count++}/${kind}`;
}

/** What it has been asked: the parameters, and as `path` what comes after its own address. */
export async function asked(url: string): Promise<Record<string, string>[]> {
  const { pathname } = new URL(url);
  const response = await fetch(`/asked/${pathname.split("/")[2]}`);
  const addresses = (await response.json()) as string[];
  return addresses.map((address) => {
    const { pathname: path, searchParams } = new URL(address, location.origin);
    return { ...Object.fromEntries(searchParams), path: path.slice(pathname.length) };
  });
}
