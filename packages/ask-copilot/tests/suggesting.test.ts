import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { readNames, Suggesting } from "../src/chat/suggesting.svelte";
import { serverOf } from "./a-server";

const STREET = { kind: "address", label: "Langendorfstrasse, 4500 Solothurn" };
const NUMBER = { kind: "address", label: "Langendorfstrasse 19b, 4500 Solothurn", coord: [2605899, 1229278] };
const told = (items: unknown, from: unknown) => ({ items, from });

describe("names that a message may become", () => {
  it("replace its end", () => {
    const [street] = readNames(told([STREET], 9), "Gehe zur Langendorfstr", "Gehe zur Langendorfstr");
    expect(street?.message).toBe("Gehe zur Langendorfstrasse, 4500 Solothurn");
  });

  it("are counted in characters from where was asked, whatever stands before", () => {
    const place = { kind: "place", label: "Halten", detail: "Ort\n in X" };
    expect(readNames(told([place], 2), "Zuerst 😀 Hal", "😀 Hal")).toEqual([
      { kind: "place", label: "Halten", detail: "Ort in X", message: "Zuerst 😀 Halten" },
    ]);
  });

  it("are not shown when they would change nothing", () => {
    expect(readNames(told([{ kind: "municipality", label: "Olten" }], 5), "nach olten ", "nach olten ")).toEqual([]);
  });

  it.each([
    null,
    [],
    told("Olten", 0),
    told([STREET], -1),
    told([STREET], 99),
    told([STREET], 0.5),
    told([STREET], "0"),
    told([{ kind: "virus", label: "x" }, { kind: "place", label: " " }, { kind: "place", label: 3 }, null], 0),
  ])("are none in what is no answer: %j", (document) => {
    expect(readNames(document, "Olt", "Olt")).toEqual([]);
  });

  it("are no more than can be read, and no longer", () => {
    const names = readNames(told(Array(20).fill({ kind: "layer", label: "x".repeat(1_000) }), 0), "abc", "abc");
    expect([names.length, names[0]?.label.length]).toEqual([5, 200]);
  });
});

describe("while somebody writes", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const asking = (...answers: (() => Promise<Response>)[]) => {
    const asked: { q: string | null; signal: AbortSignal }[] = [];
    const suggesting = new Suggesting(
      serverOf((url, { signal }) => {
        asked.push({ q: new URL(url, "http://x").searchParams.get("q"), signal: signal! });
        return (answers.shift() ?? (() => Promise.reject(new TypeError("no server"))))();
      }),
    );
    return { asked, suggesting };
  };
  const answer = (...items: object[]) => new Response(JSON.stringify(told(items, 0)));

  it("it is asked once they rest, and about the latest only", async () => {
    const { asked, suggesting } = asking(async () => answer(STREET));
    for (const message of ["La", "Lan", "Lang"]) suggesting.write(message);
    expect(asked).toEqual([]);
    await vi.advanceTimersByTimeAsync(80);
    expect(asked.map(({ q }) => q)).toEqual(["Lang"]);
    expect(suggesting.names.map(({ label }) => label)).toEqual([STREET.label]);
  });

  it("an answer that comes too late counts no more", async () => {
    let late: (answered: Response) => void = () => undefined;
    const { asked, suggesting } = asking(
      () => new Promise((resolve) => (late = resolve)),
      async () => answer(NUMBER),
    );
    suggesting.write("Lan");
    await vi.advanceTimersByTimeAsync(80);
    suggesting.write("Lang");
    expect(asked[0]?.signal.aborted).toBe(true);
    await vi.advanceTimersByTimeAsync(80);
    late(answer(STREET));
    await vi.advanceTimersByTimeAsync(0);
    expect(suggesting.names.map(({ label }) => label)).toEqual([NUMBER.label]);
  });

  it("a message that is sent or left meanwhile gets none", async () => {
    const { asked, suggesting } = asking(async () => answer(STREET));
    suggesting.write("Lang");
    suggesting.close();
    await vi.advanceTimersByTimeAsync(200);
    expect([asked, suggesting.names]).toEqual([[], []]);
  });

  it("hardly anything is not asked about, and what stood there goes", async () => {
    const { asked, suggesting } = asking(async () => answer(STREET));
    suggesting.write("Lang");
    await vi.advanceTimersByTimeAsync(80);
    suggesting.write(" L ");
    await vi.advanceTimersByTimeAsync(80);
    expect([asked.length, suggesting.names]).toEqual([1, []]);
  });

  it.each([async () => new Response("{", { status: 200 }), async () => answer(), async () => new Response("{}", { status: 503 })])(
    "a failure suggests nothing",
    async (failing) => {
      const { suggesting } = asking(async () => answer(STREET), failing);
      for (const message of ["Lang", "Lange"]) {
        suggesting.write(message);
        await vi.advanceTimersByTimeAsync(80);
      }
      expect(suggesting.names).toEqual([]);
    },
  );

  it("of a long message the end is asked about, in whole words", async () => {
    const { asked, suggesting } = asking();
    suggesting.write(`${"Wort ".repeat(50)}Solo`);
    await vi.advanceTimersByTimeAsync(80);
    expect(asked[0]?.q).toMatch(/^Wort (Wort )+Solo$/);
    expect(asked[0]?.q?.length).toBeLessThanOrEqual(100);
  });

  it("the keyboard goes round by way of the message", async () => {
    const { suggesting } = asking(async () => answer(STREET, NUMBER));
    suggesting.write("Lang");
    await vi.advanceTimersByTimeAsync(80);
    const visited = [1, 1, 1, -1, -1].map((by) => (suggesting.move(by as 1 | -1), suggesting.at));
    expect(visited).toEqual([0, 1, -1, 1, 0]);
  });
});
