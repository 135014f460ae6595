import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { follow, type News, type Opening } from "../src/follow.js";

type Reply = Response | Error;
const ID = "req-1";
const frame = (id: number, event: string, data: object = {}) =>
  `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify({ requestId: ID, ...data })}\n\n`;
const stream = (...frames: string[]) =>
  new Response(frames.join(""), { headers: { "Ask-Request-Id": ID, "Content-Type": "text/event-stream" } });
const problem = (status: number, code: string, more: Record<string, string> = {}) =>
  new Response(JSON.stringify({ code, detail: "…" }), { status, headers: { "Content-Type": "application/problem+json", ...more } });

async function read(replies: Reply[], opening: { [Name in keyof Opening]?: Opening[Name] | undefined } = {}, patienceMs?: number) {
  const calls: { method: string; url: string; after: string | null; key: string | null }[] = [];
  const pauses: number[] = [];
  const abort = new AbortController();
  const fetch = async (url: unknown, init: RequestInit = {}) => {
    const headers = new Headers(init.headers);
    calls.push({
      method: init.method ?? "GET",
      url: String(url),
      after: headers.get("Last-Event-ID"),
      key: headers.get("Idempotency-Key"),
    });
    const reply = replies.shift();
    if (!reply) throw new TypeError("Failed to fetch");
    if (reply instanceof Error) throw reply;
    return reply;
  };
  const news: News[] = [];
  const whole = { request: { sessionId: "s", userMessage: "m" }, idempotencyKey: "k", ...opening } as Opening;
  const pause = async (ms: number) => void pauses.push(ms);
  const around = { fetch: fetch as typeof globalThis.fetch, pause, signal: abort.signal, patienceMs };
  for await (const each of follow(whole, around)) news.push(each);
  return { news, calls, pauses, events: news.flatMap((each) => (each.kind === "event" ? [each.event] : [])) };
}

describe("following a turn", () => {
  it("reads the same events wherever the text is cut", async () => {
    const text =
      ': ping\n\nid: 4711\nevent: turn.started\ndata: {"a":1}\n\r\nid: 4712\r\nevent: answer.delta\r\ndata: {"b":\r\ndata: "ä"}\r\n\r\ndata: {}\n\n';
    const bytes = new TextEncoder().encode(text + frame(4713, "turn.finished"));
    for (let size = 1; size <= bytes.length; size++) {
      const body = new ReadableStream({
        start(controller) {
          for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size));
          controller.close();
        },
      });
      const { news } = await read([new Response(body)]);
      expect(news, `pieces of ${size}`).toEqual([
        { kind: "event", id: "4711", event: "turn.started", data: { a: 1 } },
        { kind: "event", id: "4712", event: "answer.delta", data: { b: "ä" } },
        { kind: "event", id: "", event: "message", data: {} },
        { kind: "event", id: "4713", event: "turn.finished", data: { requestId: ID } },
      ]);
    }
  });

  it("says nothing for comments, and nothing before an event is complete", async () => {
    const { events, calls } = await read([
      stream(": ping\n\n: ping\n\n", frame(1, "turn.started"), "id: 2\ndata: {}\n"),
      stream(frame(2, "turn.finished")),
    ]);
    expect(events).toEqual(["turn.started", "turn.finished"]);
    expect(calls[1]?.after).toBe("1");
  });

  it("reads it to its end", async () => {
    const { events, calls } = await read([stream(frame(1, "turn.started"), frame(2, "turn.finished"))]);
    expect(events).toEqual(["turn.started", "turn.finished"]);
    expect(calls).toEqual([{ method: "POST", url: "api/chat/stream", after: null, key: "k" }]);
  });

  it("goes on behind the last event when the stream breaks off", async () => {
    const { events, calls, news } = await read([
      stream(frame(7, "turn.started")),
      new TypeError("Failed to fetch"),
      stream(frame(8, "plan.ready")),
      stream(frame(9, "turn.finished")),
    ]);
    expect(events).toEqual(["turn.started", "plan.ready", "turn.finished"]);
    expect(calls.map(({ method, after }) => [method, after])).toEqual([
      ["POST", null],
      ["GET", "7"],
      ["GET", "7"],
      ["GET", "8"],
    ]);
    expect(calls[1]?.url).toBe("api/chat/req-1/stream");
    expect(news.some(({ kind }) => kind === "interrupted")).toBe(true);
  });

  it("sends again with the same key while nobody has accepted it", async () => {
    const { calls, events } = await read([new TypeError("x"), problem(503, "bus_unavailable"), stream(frame(1, "turn.finished"))]);
    expect(calls.map(({ method, key }) => [method, key])).toEqual([
      ["POST", "k"],
      ["POST", "k"],
      ["POST", "k"],
    ]);
    expect(events).toEqual(["turn.finished"]);
  });

  it("sends again when the turn was accepted and then lost before its first event", async () => {
    const { calls } = await read([stream(), new TypeError("x"), stream(frame(1, "turn.finished"))]);
    expect(calls.map(({ method, key }) => [method, key])).toEqual(Array(3).fill(["POST", "k"]));
  });

  it("sends again a turn that was begun before a reload and then lost before its first event", async () => {
    const replies = [problem(404, "turn_not_found"), stream(), stream(frame(1, "turn.finished"))];
    const { calls } = await read(replies, { requestId: ID });
    expect(calls.map(({ method }) => method)).toEqual(["GET", "POST", "POST"]);
  });

  it("goes on behind what was heard before a choice, also when it was accepted and nothing else", async () => {
    const { calls } = await read([stream(), stream(frame(9, "turn.finished"))], { after: "8" });
    expect(calls.map(({ method, after }) => [method, after])).toEqual([
      ["POST", null],
      ["GET", "8"],
    ]);
  });

  it("makes up one key where there is none", async () => {
    const { calls } = await read([new TypeError("x"), stream(frame(1, "turn.finished"))], { idempotencyKey: undefined });
    expect(calls[0]?.key).toMatch(/^[0-9a-f]{32}$/);
    expect(calls[1]?.key).toBe(calls[0]?.key);
  });

  it("reads all rounds of a turn that it only reads", async () => {
    const first = stream(frame(1, "turn.started"), frame(2, "turn.finished"));
    const second = stream(frame(3, "choice.made"), frame(4, "turn.finished"));
    const { events, calls } = await read([first, second, new Response(null, { status: 204 })], { request: undefined, requestId: ID });
    expect(events).toEqual(["turn.started", "turn.finished", "choice.made", "turn.finished"]);
    expect(calls.map(({ method, after }) => [method, after])).toEqual([
      ["GET", null],
      ["GET", "2"],
      ["GET", "4"],
    ]);
  });

  it("follows a message into the turn of the choice that it answers", async () => {
    const forwarded = frame(1, "turn.finished", { detail: { forwardedTo: "req-2.0.1" } });
    const elsewhere = frame(2, "choice.made", { requestId: "req-2" });
    const { calls, events } = await read([stream(forwarded, elsewhere), stream(frame(3, "turn.finished"))]);
    expect(events).toEqual(["turn.finished", "choice.made", "turn.finished"]);
    expect(calls[1]).toMatchObject({ url: "api/chat/req-2/stream", after: "2" });
  });

  it("reads on a turn that was begun before a reload", async () => {
    const { calls, news } = await read([new Response(null, { status: 204 })], { requestId: "req/9", after: "41" });
    expect(calls).toEqual([{ method: "GET", url: "api/chat/req%2F9/stream", after: "41", key: null }]);
    expect(news.at(-1)).toEqual({ kind: "complete" });
  });

  it("tells a problem that does not pass", async () => {
    const { news, calls } = await read([problem(422, "invalid_request")]);
    expect(news).toEqual([{ kind: "problem", problem: { code: "invalid_request", detail: "…", status: 422 } }]);
    expect(calls).toHaveLength(1);
  });

  it("tells a problem that comes as an event, but goes on when only this server stops", async () => {
    const late = 'event: error\ndata: {"code":"turn_timeout","detail":"zu lange"}\n\n';
    const stops = 'event: error\ndata: {"code":"shutting_down","detail":""}\n\n';
    const { news, calls } = await read([stream(frame(1, "turn.started"), stops), stream(late)]);
    expect(calls).toHaveLength(2);
    expect(news.at(-1)).toEqual({ kind: "problem", problem: { code: "turn_timeout", detail: "zu lange" } });
  });

  it("waits as long as it is told, says why, and leaves a server alone that has too much to do", async () => {
    const full = () => problem(429, "queue_full", { "Retry-After": "5" });
    const { news, pauses, calls } = await read([full(), full()]);
    const said = { code: "queue_full", detail: "…", status: 429, retryAfter: 5 };
    expect(news).toEqual([
      { kind: "interrupted", attempts: 1, problem: said },
      { kind: "problem", problem: said },
    ]);
    expect([pauses, calls.length]).toEqual([[5_000], 2]);
  });

  it.each([
    ["3600", 30_000],
    ["0", 400],
    ["morgen", 400],
  ])("waits for a server that says %s no longer than %i ms", async (told, ms) => {
    const { pauses, events } = await read([problem(503, "bus_unavailable", { "Retry-After": told }), stream(frame(1, "turn.finished"))]);
    expect([pauses, events]).toEqual([[ms], ["turn.finished"]]);
  });

  it("says at once what is spent for longer than anybody waits", async () => {
    const { news, pauses } = await read([problem(429, "quota_spent", { "Retry-After": "3600" })]);
    expect([news, pauses]).toEqual([
      [{ kind: "problem", problem: { code: "quota_spent", detail: "…", status: 429, retryAfter: 3600 } }],
      [],
    ]);
  });

  it.each(["unauthenticated", "invalid_token"])("does not try again what is refused as %s, also in the middle of a turn", async (code) => {
    const { news, calls } = await read([stream(frame(1, "turn.started")), problem(401, code)]);
    expect(calls).toHaveLength(2);
    expect(news.at(-1)).toMatchObject({ kind: "problem", problem: { code } });
  });

  it("counts the tries in vain, from anew when it has heard something", async () => {
    const gone = new TypeError("x");
    const { news } = await read([
      gone,
      problem(502, "bus_unavailable"),
      gone,
      stream(frame(1, "turn.started")),
      gone,
      stream(frame(2, "turn.finished")),
    ]);
    expect(news.flatMap((each) => (each.kind === "interrupted" ? [[each.attempts, each.problem?.code]] : []))).toEqual([
      [1, undefined],
      [2, "bus_unavailable"],
      [3, undefined],
      [1, undefined],
      [2, undefined],
    ]);
  });

  describe("with patience", () => {
    const full = (seconds = 1) => problem(429, "queue_full", { "Retry-After": `${seconds}` });

    it("waits in all as long as it may, whatever fails", async () => {
      const proxy = new Response("<html>", { status: 504 });
      const replies = [full(), full(), full(), proxy, stream(frame(1, "turn.finished"))];
      const { events, pauses } = await read(replies, {}, 6_200);
      expect([events, pauses]).toEqual([["turn.finished"], [1_000, 1_000, 1_000, 3_200]]);
    });

    it("gives up when it would have to wait longer, and begins anew once it has heard something", async () => {
      const { news, pauses } = await read([full(2), stream(frame(1, "turn.started")), full(2), full(2), full(2)], {}, 5_000);
      expect(pauses).toEqual([2_000, 400, 2_000, 2_000]);
      expect(news.at(-1)).toMatchObject({ kind: "problem", problem: { code: "queue_full" } });
    });

    it("may be given none: then only what has been heard is gone on with", async () => {
      expect((await read([new TypeError("x")], {}, 0)).calls).toHaveLength(1);
      const { events } = await read([stream(frame(1, "turn.started")), stream(frame(2, "turn.finished"))], {}, 0);
      expect(events).toEqual(["turn.started", "turn.finished"]);
    });
  });

  it("gives up in the end, after longer and longer pauses", async () => {
    const { news, pauses } = await read([]);
    expect(news.at(-1)).toMatchObject({ kind: "problem", problem: { code: "unreachable" } });
    expect(pauses).toEqual(pauses.toSorted((a, b) => a - b));
    expect(pauses.length).toBeGreaterThan(5);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(8_000);
  });

  describe("and its silence", () => {
    beforeEach(() => void vi.useFakeTimers());
    afterEach(() => void vi.useRealTimers());

    /** The kinds of news, and how often the server was asked. */
    async function hear(ms: number, ...replies: ((signal: AbortSignal) => Promise<Response>)[]) {
      const asked = replies.length;
      const fetch = (async (_: unknown, { signal }: { signal: AbortSignal }) => replies.shift()!(signal)) as typeof globalThis.fetch;
      const around = { fetch, pause: async () => undefined, signal: new AbortController().signal };
      const kinds: string[] = [];
      const reading = (async () => {
        const opening = { request: { sessionId: "s", userMessage: "m" }, idempotencyKey: "k" };
        for await (const { kind } of follow(opening, around)) kinds.push(kind);
      })();
      await vi.advanceTimersByTimeAsync(ms);
      await reading;
      expect(vi.getTimerCount()).toBe(0);
      return [kinds, asked - replies.length];
    }

    it("is no reason to wait for ever", async () => {
      const silent = (signal: AbortSignal) =>
        new Promise<Response>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
      const heard = await hear(35_000, silent, async () => stream(frame(1, "turn.finished")));
      expect(heard).toEqual([["interrupted", "accepted", "event"], 2]);
    });

    it("is none while it says at least that it is there", async () => {
      const slow = async (signal: AbortSignal) => {
        const body = new ReadableStream<Uint8Array>({
          start(controller) {
            signal.addEventListener("abort", () => controller.error(signal.reason));
            const say = (text: string) => controller.enqueue(new TextEncoder().encode(text));
            for (const ms of [20_000, 40_000, 60_000]) setTimeout(() => say(": ping\n\n"), ms);
            setTimeout(() => say(frame(1, "turn.finished")), 80_000);
          },
        });
        return new Response(body, { headers: { "Ask-Request-Id": ID } });
      };
      expect(await hear(80_000, slow)).toEqual([["accepted", "event"], 1]);
    });

    it("is not what its reader does meanwhile", async () => {
      const body = new ReadableStream<Uint8Array>({
        async pull(controller) {
          await new Promise((resolve) => setTimeout(resolve, 1_000));
          controller.enqueue(new TextEncoder().encode(frame(1, "step.started")));
        },
      });
      let connection: AbortSignal | undefined;
      const fetch = (async (_: unknown, init: RequestInit) => {
        connection = init.signal!;
        return new Response(body, { headers: { "Ask-Request-Id": ID } });
      }) as typeof globalThis.fetch;
      const around = { fetch, pause: async () => undefined, signal: new AbortController().signal };
      const news = follow({ request: { sessionId: "s", userMessage: "m" }, idempotencyKey: "k" }, around);
      for (const kind of ["accepted", "event"]) {
        const next = news.next();
        await vi.advanceTimersByTimeAsync(1_000);
        expect((await next).value).toMatchObject({ kind });
        await vi.advanceTimersByTimeAsync(60_000);
        expect(connection!.aborted).toBe(false);
      }
      await news.return(undefined);
    });
  });

  it("survives data that is no JSON, and events that nobody knows", async () => {
    const odd = "id: 3\nevent: answer.delta\ndata: {broken\n\nid: 4\nevent: new.thing\ndata: []\n\n";
    const { events } = await read([stream(odd, frame(5, "turn.finished"))]);
    expect(events).toEqual(["answer.delta", "new.thing", "turn.finished"]);
  });
});
