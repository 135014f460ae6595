/** The map service of the tests, as the tests know it. */

let count = 0;

/** The address of a service that nobody has asked yet: one that answers, one that is broken (500), or one that has nothing (404). */
export function newService(kind = "fine"): string {
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
