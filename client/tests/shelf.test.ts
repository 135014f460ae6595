import "fake-indexeddb/auto";
import { createStore } from "idb-keyval";
import { describe, expect, it } from "vitest";
import { begin, type Exchange } from "@ask-sogis/copilot/chat/turn";
import type { Snapshot } from "@ask-sogis/copilot/map/model.svelte";
import { accountShelf, deviceShelf, fitting, keptOf, preceded, type Kept } from "../src/session/shelf";
import { serverOf } from "../../packages/ask-copilot/tests/a-server";

const MAP: Snapshot = { background: "sw", layers: [], markers: [], features: [], viewpoint: null };
const asked = (text: string): Exchange => begin({ kind: "message", text }, text, { mapResults: [], map: null, language: "de" }, null);
const kept = (id: string, at = 0, ...texts: string[]): Kept => keptOf(id, (texts.length > 0 ? texts : [id]).map(asked), 0, MAP, at);

let stores = 0;
const newStore = () => createStore(`test-${++stores}`, "conversations");

describe("a shelf on the device", () => {
  it("has what was put on it, the latest first", async () => {
    const shelf = deviceShelf(newStore());
    expect(await shelf.list()).toEqual([]);
    await shelf.put(kept("a", 1));
    await shelf.put(kept("b", 2));
    await shelf.put(kept("a", 3, "eins", "zwei"));
    expect(await shelf.list()).toEqual([
      { id: "a", title: "eins", at: 3 },
      { id: "b", title: "b", at: 2 },
    ]);
    expect((await shelf.take("a"))?.exchanges.map(({ key }) => key)).toEqual(["eins", "zwei"]);
    expect(await shelf.take("c")).toBeNull();
  });

  it("forgets what is removed, and the oldest of too many", async () => {
    const shelf = deviceShelf(newStore());
    for (let n = 0; n < 55; n++) await shelf.put(kept(`k${n}`, n));
    await shelf.remove("k54");
    const list = await shelf.list();
    expect([list.length, list[0]?.id, list.at(-1)?.id]).toEqual([49, "k53", "k5"]);
    expect(await shelf.take("k54")).toBeNull();
    expect(await shelf.take("k4")).toBeNull();
  });

  it("makes room for the latest when the browser has none", async () => {
    const store = newStore();
    const full: typeof store = (mode, use) =>
      store(mode, async (objects) => {
        const there = objects.put.bind(objects);
        objects.put = (value: unknown, key?: IDBValidKey) => {
          if (isFull && key === "c") throw new DOMException("full", "QuotaExceededError");
          return there(value, key);
        };
        const forget = objects.delete.bind(objects);
        objects.delete = (key) => {
          isFull = false;
          return forget(key);
        };
        return use(objects);
      });
    let isFull = true;
    const shelf = deviceShelf(full);
    await shelf.put(kept("a", 1));
    await shelf.put(kept("b", 2));
    await shelf.put(kept("c", 3));
    expect((await shelf.list()).map(({ id }) => id)).toEqual(["c", "b"]);
    expect(await shelf.take("a")).toBeNull();
  });
});

describe("what is too long", () => {
  it("keeps the latest exchanges, and how many it has not", () => {
    const whole = kept("a", 0, ..."abcdefgh");
    const one = JSON.stringify(whole.exchanges[0]).length + 1;
    const bare = JSON.stringify({ ...whole, exchanges: [] }).length;
    const less = fitting({ ...whole, lost: 2 }, bare + 3 * one);
    expect([less.exchanges.map(({ key }) => key).join(""), less.lost]).toEqual(["fgh", 7]);
    expect(fitting(whole, 1e6)).toEqual(whole);
  });

  it("keeps what was said before, when only the latest is known", () => {
    const over = ({ exchanges, ...more }: Kept): Kept => ({
      ...more,
      exchanges: exchanges.map((each) => ({ ...each, state: "finished" })),
    });
    const latest = { ...over(kept("a", 2, ..."cd")), lost: 5 };
    const all = preceded(latest, over(kept("a", 1, ..."abc")));
    expect([all.title, all.at, all.lost, all.exchanges.map(({ key }) => key).join("")]).toEqual(["a", 2, 3, "abcd"]);
    expect(preceded(latest, null)).toEqual(latest);
  });
});

describe("a shelf with the account", () => {
  const server = (...answers: [status: number, body?: unknown][]) => {
    const sent: [string, string, unknown][] = [];
    const shelf = accountShelf(
      serverOf(async (url, { method = "GET", body }) => {
        sent.push([method, url, JSON.parse(String(body))]);
        const [status, document] = answers.shift() ?? [500];
        return new Response(document === undefined ? null : JSON.stringify(document), { status });
      }),
    );
    return { shelf, sent };
  };
  const at = "2026-11-23T14:00:00.000Z";

  it("lists what it can read", async () => {
    const { shelf } = server([200, { conversations: [{ id: "a", title: "eins", at }, { id: "b" }, null] }]);
    expect(await shelf.list()).toEqual([{ id: "a", title: "eins", at: Date.parse(at) }]);
  });

  it("takes back what it has put", async () => {
    const whole = kept("a/b", Date.parse(at), "eins");
    const { shelf, sent } = server([204]);
    await shelf.put(whole);
    const [[method, url, body]] = sent as [[string, string, object]];
    expect([method, url]).toEqual(["PUT", "api/conversations/a%2Fb"]);
    const again = server([200, { id: "a/b", ...body }]);
    expect(await again.shelf.take("a/b")).toEqual(whole);
  });

  it("knows what is not there from what cannot be read", async () => {
    const { shelf } = server([404, {}], [503, {}], [404, {}]);
    expect(await shelf.take("a")).toBeNull();
    await expect(shelf.take("a")).rejects.toThrow();
    await shelf.remove("a");
  });
});
