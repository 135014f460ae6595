import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Client, Server } from "../src/index.js";
import { wait } from "../src/patience.js";
import { problem, server } from "./a-server.js";

const MAP = { background: "sw" } as const;
const POINT = { x: 2607744, y: 1228431, layers: ["a"], tolerance: 5 };
const CONVERSATION = { title: "t", at: "2026-11-26T08:00:00Z", content: "{}" };

describe("what the server can be asked", () => {
  it.each<[string, (client: Client) => Promise<unknown>, string, string, unknown]>([
    ["a turn", (client) => client.turn("req/1"), "GET", "api/chat/req%2F1", null],
    ["to end a turn", (client) => client.cancel("req-1"), "DELETE", "api/chat/req-1", null],
    ["to forget this session", (client) => client.deleteSession(), "DELETE", "api/chat", { sessionId: "s" }],
    ["to forget another one", (client) => client.deleteSession("t"), "DELETE", "api/chat", { sessionId: "t" }],
    ["its tools", (client) => client.tools(), "GET", "api/tools", null],
    ["what is at a point", (client) => client.identify(POINT), "POST", "api/identify", POINT],
    ["a layer", (client) => client.layer("ch.so/a b"), "GET", "api/layers/ch.so%2Fa%20b", null],
    ["names", (client) => client.suggest("Gehe zur L&", { limit: 6 }), "GET", "api/suggest?q=Gehe+zur+L%26&limit=6", null],
    ["as many names as it likes", (client) => client.suggest("La"), "GET", "api/suggest?q=La", null],
    [
      "to know what a turn was worth",
      (client) => client.feedback("req-1", "down", { reason: "wrong_place" }),
      "POST",
      "api/feedback",
      { sessionId: "s", requestId: "req-1", verdict: "down", reason: "wrong_place" },
    ],
    ["a link", (client) => client.share(MAP), "POST", "api/shares", MAP],
    ["where a link leads", (client) => client.shared("a-b_c"), "GET", "api/shares/a-b_c", null],
    ["who asks", (client) => client.me(), "GET", "api/me", null],
    ["to sign out", (client) => client.signOut("/auth/logout"), "POST", "/auth/logout", {}],
    ["all conversations", (client) => client.conversations(), "GET", "api/conversations", null],
    ["a conversation", (client) => client.conversation("a/b"), "GET", "api/conversations/a%2Fb", null],
    ["to keep a conversation", (client) => client.keepConversation("a", CONVERSATION), "PUT", "api/conversations/a", CONVERSATION],
    ["to delete a conversation", (client) => client.deleteConversation("a"), "DELETE", "api/conversations/a", null],
  ])("is %s", async (_, ask, method, url, body) => {
    const { client, calls } = server([problem(503, "no_room"), Response.json({ found: true })]);
    expect(await ask(client)).toEqual({ found: true });
    expect(calls.map((call) => [call.method, call.url, call.body])).toEqual(Array(2).fill([method, url, body]));
  });

  it("is asked to forget also from a page that is being left", async () => {
    const { client, calls } = server([new Response(null, { status: 204 })]);
    await client.deleteSession();
    expect(calls[0]!.init.keepalive).toBe(true);
  });

  it("may have nothing to say", async () => {
    const { client } = server([new Response(null, { status: 204 })]);
    expect(await client.cancel("req-1")).toBeUndefined();
  });

  it.each<[string, (client: Client, signal: AbortSignal) => Promise<unknown>]>([
    ["turn", (client, signal) => client.turn("req-1", { signal })],
    ["tools", (client, signal) => client.tools({ signal })],
    ["identify", (client, signal) => client.identify(POINT, { signal })],
    ["layer", (client, signal) => client.layer("a", { signal })],
    ["suggest", (client, signal) => client.suggest("La", { signal })],
    ["share", (client, signal) => client.share(MAP, { signal })],
    ["shared", (client, signal) => client.shared("a-b_c", { signal })],
    ["me", (client, signal) => client.me({ signal })],
    ["conversations", (client, signal) => client.conversations({ signal })],
    ["conversation", (client, signal) => client.conversation("a", { signal })],
  ])("is asked no more when its signal says so: %s", async (_, ask) => {
    const { client, calls } = server([new DOMException("", "AbortError")]);
    await expect(ask(client, AbortSignal.abort())).rejects.toMatchObject({ name: "AbortError" });
    expect(calls).toHaveLength(1);
  });
});

describe("where the server is, and who asks", () => {
  it.each([
    [undefined, "api/tools"],
    ["https://ask.example.org", "https://ask.example.org/api/tools"],
    ["https://ask.example.org/", "https://ask.example.org/api/tools"],
    ["https://ask.example.org/maps//", "https://ask.example.org/maps/api/tools"],
  ])("is said once: %s", async (endpoint, url) => {
    const { client, calls } = server([Response.json({})], endpoint === undefined ? {} : { endpoint });
    await client.tools();
    expect(calls[0]!.url).toBe(url);
  });

  it("is below the endpoint also for a path from the server", async () => {
    const { client, calls } = server([Response.json({})], { endpoint: "https://ask.example.org" });
    await client.signOut("/auth/logout");
    expect(calls[0]!.url).toBe("https://ask.example.org/auth/logout");
  });

  it.each(["//evil.example/", "/\\evil.example/", "/\t/evil.example/", "https://evil.example/", "auth/logout"])(
    "is never where a path like %j leads",
    async (path) => {
      const { client, calls } = server([Response.json({})], { token: "ask_k_s" });
      await expect(client.signOut(path)).rejects.toThrow(TypeError);
      expect(calls).toEqual([]);
    },
  );

  it.each([{}, { endpoint: "ask.example.org" }])("has to be said where there is no page: %j", async (settings) => {
    const pauses: number[] = [];
    const client = new Client({ ...settings, pause: async (ms) => void pauses.push(ms) });
    await expect(client.tools()).rejects.toThrow(TypeError);
    await expect(client.stream("m").next()).rejects.toThrow(TypeError);
    expect(pauses).toEqual([]);
  });

  it("is told with every request, in the language of that moment", async () => {
    let language = "fr";
    const { client, calls } = server([Response.json({}), problem(404, "turn_not_found")], { token: "ask_k_s", language: () => language });
    await client.tools();
    language = "it";
    for await (const _ of client.follow({ requestId: "req-1", after: "1" }, new AbortController().signal));
    expect(calls.map(({ headers }) => [headers.get("Authorization"), headers.get("Accept-Language")])).toEqual([
      ["Bearer ask_k_s", "fr"],
      ["Bearer ask_k_s", "it"],
    ]);
    expect(calls[1]!.headers.get("Last-Event-ID")).toBe("1");
  });

  it("is said by nothing that was not set", async () => {
    const { client, calls } = server([Response.json({})]);
    await client.tools();
    expect(Object.fromEntries(calls[0]!.headers)).toEqual({});
  });

  it("is another session for each, unless it is named", () => {
    expect(new Server().sessionId).not.toBe(new Server().sessionId);
    expect(new Server({ sessionId: "s" }).sessionId).toBe("s");
  });

  it("asks by the fetch of the moment", async () => {
    const asked = vi.fn(async (..._: unknown[]) => Response.json({ kind: "local" }));
    const client = new Server();
    vi.stubGlobal("location", new URL("http://127.0.0.1:8080/"));
    vi.stubGlobal("fetch", asked);
    expect(await client.me()).toEqual({ kind: "local" });
    vi.unstubAllGlobals();
    expect(asked.mock.calls[0]).toMatchObject(["api/me", { cache: "no-store" }]);
  });
});

describe("a pause", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("takes its time, and no timer stays behind", async () => {
    let isOver = false;
    const paused = wait(1_000).then(() => (isOver = true));
    await vi.advanceTimersByTimeAsync(999);
    expect(isOver).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect([await paused, vi.getTimerCount()]).toEqual([true, 0]);
  });

  it("is over at once for who leaves, or has left", async () => {
    const leaving = new AbortController();
    const paused = wait(1_000, leaving.signal);
    leaving.abort();
    await paused;
    await wait(1_000, leaving.signal);
    expect(vi.getTimerCount()).toBe(0);
  });
});
