import { describe, expect, it } from "vitest";
import { Refused, Unreachable, type TurnEvent } from "../src/index.js";
import { ANSWER, frame, ID, problem, server, stream } from "./a-server.js";

const keyOf = ({ headers }: { headers: Headers }) => headers.get("Idempotency-Key");
const gone = () => new TypeError("Failed to fetch");

describe("a message", () => {
  it("is sent with its session and a key, and answered", async () => {
    const { client, calls } = server([Response.json(ANSWER)]);
    expect(await client.chat("Gehe nach Messen")).toEqual(ANSWER);
    expect(calls).toMatchObject([{ method: "POST", url: "api/chat", body: { sessionId: "s", userMessage: "Gehe nach Messen" } }]);
    expect(keyOf(calls[0]!)).toMatch(/^[0-9a-f]{32}$/);
    expect(calls[0]!.headers.get("Content-Type")).toBe("application/json");
  });

  it("takes along what is told with it, and nothing else", async () => {
    const { client, calls } = server([Response.json(ANSWER)]);
    const signal = new AbortController().signal;
    await client.chat("m", { sessionId: "other", idempotencyKey: "k", language: "fr", agent: "map", signal });
    expect(calls[0]!.body).toEqual({ sessionId: "other", userMessage: "m", language: "fr", agent: "map" });
    expect(keyOf(calls[0]!)).toBe("k");
  });

  it("has a key of its own each time", async () => {
    const { client, calls } = server([Response.json(ANSWER), Response.json(ANSWER)]);
    await client.chat("m");
    await client.chat("m");
    expect(keyOf(calls[0]!)).not.toBe(keyOf(calls[1]!));
  });

  it.each(["req-1.0.1", { id: "req-1.0.1", label: "B" }])("may be a choice: %j", async (choice) => {
    const { client, calls } = server([Response.json(ANSWER)]);
    expect(await client.choose(choice)).toEqual(ANSWER);
    expect(calls[0]!.body).toEqual({ sessionId: "s", choiceId: "req-1.0.1" });
  });
});

describe("what is refused", () => {
  it.each([
    [400, "idempotency_key_invalid"],
    [401, "invalid_token"],
    [403, "forbidden"],
    [404, "turn_not_found"],
    [405, "method_not_allowed"],
    [410, "session_deleted"],
    [413, "body_too_large"],
    [415, "unsupported_media_type"],
    [421, "misdirected_request"],
    [422, "idempotency_key_reused"],
    [500, "internal_error"],
  ])("as %i %s is told at once, with all that is known", async (status, code) => {
    const { client, calls } = server([problem(status, code, { requestId: ID })]);
    const error: unknown = await client.chat("m").catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Refused);
    expect(error).toMatchObject({ name: "Refused", message: "Darum.", status, code, detail: "Darum.", requestId: ID, retryAfter: null });
    expect(calls).toHaveLength(1);
  });

  it.each([
    [429, "queue_full"],
    [503, "bus_unavailable"],
  ])("for the moment (%i %s) is sent again with the same key, when the server says so", async (status, code) => {
    const { client, calls, pauses } = server([
      problem(status, code, {}, { "Retry-After": "5" }),
      problem(status, code, {}, { "Retry-After": "2" }),
      Response.json(ANSWER),
    ]);
    expect(await client.chat("m")).toEqual(ANSWER);
    expect(pauses).toEqual([5_000, 2_000]);
    expect(new Set(calls.map(keyOf)).size).toBe(1);
    expect(new Set(calls.map(({ body }) => JSON.stringify(body))).size).toBe(1);
  });

  it("by somebody in the place of the server is so with all that is known, too", async () => {
    const busy = () => new Response("<html>", { status: 503, headers: { "Retry-After": "5" } });
    const { client, pauses } = server([busy(), busy()], { patienceMs: 5_000 });
    await expect(client.chat("m")).rejects.toMatchObject({ name: "Unreachable", problem: { status: 503, retryAfter: 5 } });
    expect(pauses).toEqual([5_000]);
  });

  it("for longer than anybody waits is told at once", async () => {
    const { client, pauses } = server([problem(429, "quota_spent", {}, { "Retry-After": "3600" })]);
    await expect(client.chat("m")).rejects.toMatchObject({ code: "quota_spent", status: 429, retryAfter: 3_600 });
    expect(pauses).toEqual([]);
  });

  it("again and again is told once patience is spent", async () => {
    const full = () => problem(503, "store_full", {}, { "Retry-After": "4" });
    const { client, calls, pauses } = server([full(), full(), full(), full()], { patienceMs: 9_000 });
    await expect(client.chat("m")).rejects.toMatchObject({ code: "store_full" });
    expect([pauses, calls.length]).toEqual([[4_000, 4_000], 3]);
  });

  it("is not sent again without patience", async () => {
    const { client, calls } = server([problem(429, "queue_full", {}, { "Retry-After": "1" })], { patienceMs: 0 });
    await expect(client.chat("m")).rejects.toThrow(Refused);
    expect(calls).toHaveLength(1);
  });
});

describe("a server that cannot be reached", () => {
  const broken = () =>
    new Response(
      new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode('{"requestId": '));
          controller.error(gone());
        },
      }),
    );

  it.each([
    ["is not there", gone],
    ["breaks off in its answer", broken],
    ["is behind a proxy that answers for it", () => new Response("<html>", { status: 504 })],
    ["is not the one that answers", () => new Response("<html>Welcome to our hotel")],
  ])("because it %s is asked again, with the same key", async (_, reply) => {
    const { client, calls, pauses } = server([reply(), reply(), Response.json(ANSWER)]);
    expect(await client.chat("m")).toEqual(ANSWER);
    expect(pauses).toEqual([400, 800]);
    expect(new Set(calls.map(keyOf)).size).toBe(1);
  });

  it("is given up in the end, after longer and longer pauses", async () => {
    const { client, pauses } = server([]);
    const error: unknown = await client.chat("m").catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Unreachable);
    expect((error as Unreachable).cause).toBeInstanceOf(TypeError);
    expect(pauses).toEqual([400, 800, 1_600, 3_200, 6_400, 8_000, 8_000]);
  });
});

describe("a turn that goes on without an answer", () => {
  const running = () => Response.json({ requestId: ID, state: "running", steps: [], rounds: [] }, { status: 202 });

  it("is asked for until it has one", async () => {
    const late = problem(504, "turn_timeout", { requestId: "req/1" });
    const { client, calls, pauses } = server([late, running(), running(), Response.json(ANSWER)]);
    expect(await client.chat("m")).toEqual(ANSWER);
    const poll = { method: "GET", url: "api/chat/req%2F1" };
    expect(calls).toMatchObject([{ method: "POST", url: "api/chat" }, poll, poll, poll]);
    expect(pauses).toEqual([1_000, 1_000]);
  });

  it("is asked for after a lost connection, too", async () => {
    const { client, calls } = server([problem(504, "turn_timeout", { requestId: ID }), gone(), Response.json(ANSWER)]);
    expect(await client.chat("m")).toEqual(ANSWER);
    expect(calls.map(({ method }) => method)).toEqual(["POST", "GET", "GET"]);
  });

  it("is sent again when the server stops: a turn that was asked for may have the answer of the round before", async () => {
    const { client, calls } = server([problem(503, "shutting_down", { requestId: ID }), Response.json(ANSWER)]);
    expect(await client.choose("req-1.0.0")).toEqual(ANSWER);
    expect(calls.map(({ method }) => method)).toEqual(["POST", "POST"]);
    expect(keyOf(calls[0]!)).toBe(keyOf(calls[1]!));
  });

  it("is not sent again, and asked for with the patience of one request", async () => {
    const { client, calls, pauses } = server([problem(504, "turn_timeout", { requestId: ID })]);
    await expect(client.chat("m")).rejects.toThrow(Unreachable);
    expect(calls.filter(({ method }) => method === "POST")).toHaveLength(1);
    expect(pauses.reduce((sum, ms) => sum + ms)).toBeLessThanOrEqual(30_000);
  });

  it("may be over without one", async () => {
    const cancelled = Response.json({ requestId: ID, state: "cancelled" }, { status: 202 });
    const { client } = server([problem(504, "turn_timeout", { requestId: ID }), cancelled]);
    await expect(client.chat("m")).rejects.toMatchObject({ code: "no_answer", requestId: ID });
  });

  it("may be refused in the end", async () => {
    const { client } = server([problem(504, "turn_timeout", { requestId: ID }), running(), problem(410, "session_deleted")]);
    await expect(client.chat("m")).rejects.toMatchObject({ code: "session_deleted" });
  });
});

describe("who wants an answer no more", () => {
  it("leaves a request in the middle, for the reason that they name", async () => {
    const leaving = new AbortController();
    const { client, calls } = server(
      [({ signal }) => new Promise((_, reject) => signal!.addEventListener("abort", () => reject(signal!.reason as Error)))],
      { patienceMs: 0 },
    );
    const asked = client.chat("m", { signal: leaving.signal });
    leaving.abort(new Error("enough"));
    await expect(asked).rejects.toThrow("enough");
    expect(calls).toHaveLength(1);
  });

  it("hears their own reason also when the connection breaks just then", async () => {
    const leaving = new AbortController();
    const { client } = server([
      async () => {
        leaving.abort(new Error("enough"));
        throw gone();
      },
    ]);
    await expect(client.chat("m", { signal: leaving.signal })).rejects.toThrow("enough");
  });

  it.each([
    ["another try", problem(503, "no_room")],
    ["the turn", Response.json({ requestId: ID, state: "running" }, { status: 202 })],
  ])("does not wait for %s", async (_, reply) => {
    const leaving = new AbortController();
    const pause = async () => leaving.abort(new Error("enough"));
    const { client, calls } = server([problem(504, "turn_timeout", { requestId: ID }), reply], { pause });
    await expect(client.chat("m", { signal: leaving.signal })).rejects.toThrow("enough");
    expect(calls).toHaveLength(2);
  });
});

describe("a question about documents", () => {
  const source = { n: 1, id: "d", name: "Bericht", url: "http://127.0.0.1/d" };
  const research = { userQuery: "q", initialQuestion: "q", sources: [source] };
  const answered = (status: string, more: object) =>
    Response.json({ ...ANSWER, steps: [{ intent: "search_documents", status, message: "So [1].", ...more }] });

  it("is for the agent that answers from documents only", async () => {
    const { client, calls } = server([answered("ok", { research })]);
    const { answer, sources, isSupported, research: looked, response } = await client.documents("Was gilt?", { language: "it" });
    expect(calls[0]!.body).toEqual({ sessionId: "s", userMessage: "Was gilt?", agent: "riskiagent", language: "it" });
    expect([answer, sources, isSupported, looked]).toEqual(["So [1].", [source], true, research]);
    expect(response.requestId).toBe(ID);
  });

  it.each([
    ["nothing was found", "needs_clarification", { research: { ...research, sources: [] } }],
    ["it was not finished", "error", { research }],
    ["nothing was looked up", "ok", {}],
  ])("has no documents behind its answer when %s", async (_, status, more) => {
    const { client } = server([answered(status, more)]);
    expect(await client.documents("Was gilt?")).toMatchObject({ answer: "So [1].", isSupported: false });
  });
});

describe("a stream", () => {
  const none = () => new Response(null, { status: 204 });

  async function collected(events: AsyncIterable<TurnEvent>): Promise<TurnEvent[]> {
    const heard: TurnEvent[] = [];
    for await (const news of events) heard.push(news);
    return heard;
  }

  async function read(events: AsyncIterable<TurnEvent>): Promise<[string, string][]> {
    return (await collected(events)).map(({ id, event }) => [id, event]);
  }

  it("has every event once, also over lost connections", async () => {
    const { client, calls, pauses } = server([
      gone(),
      stream(frame(1, "turn.started"), frame(2, "plan.ready")),
      gone(),
      stream(frame(3, "answer.delta", { text: "a" })),
      stream(frame(4, "turn.finished", { response: ANSWER })),
    ]);
    expect(await read(client.stream("m"))).toEqual([
      ["1", "turn.started"],
      ["2", "plan.ready"],
      ["3", "answer.delta"],
      ["4", "turn.finished"],
    ]);
    expect(calls.map(({ method, url, headers }) => [method, url, headers.get("Last-Event-ID")])).toEqual([
      ["POST", "api/chat/stream", null],
      ["POST", "api/chat/stream", null],
      ["GET", `api/chat/${ID}/stream`, "2"],
      ["GET", `api/chat/${ID}/stream`, "2"],
      ["GET", `api/chat/${ID}/stream`, "3"],
    ]);
    expect(keyOf(calls[0]!)).toBe(keyOf(calls[1]!));
    expect(pauses).toHaveLength(4);
  });

  it("of a choice is that of its turn", async () => {
    const { client, calls } = server([stream(frame(1, "turn.finished"))]);
    await read(client.stream({ id: "req-1.0.0" }, { language: "en" }));
    expect(calls[0]).toMatchObject({ url: "api/chat/stream", body: { sessionId: "s", choiceId: "req-1.0.0", language: "en" } });
  });

  it("of a choice that was accepted and then lost is not that of the round before", async () => {
    const { client, calls } = server([stream(), stream(frame(9, "choice.made"), frame(10, "turn.finished"))]);
    expect(await read(client.stream({ id: "req-1.0.0" }))).toEqual([
      ["9", "choice.made"],
      ["10", "turn.finished"],
    ]);
    expect(calls.map(({ method }) => method)).toEqual(["POST", "POST"]);
    expect(keyOf(calls[0]!)).toBe(keyOf(calls[1]!));
  });

  it("of a message that answers a choice has the answer to that as its end, and no other", async () => {
    const forwarded = frame(1, "turn.finished", { detail: { forwardedTo: "req-2.0.1" } });
    const { client } = server([stream(forwarded, frame(2, "choice.made"), frame(3, "turn.finished", { response: ANSWER }))]);
    expect(await read(client.stream("die zweite"))).toEqual([
      ["2", "choice.made"],
      ["3", "turn.finished"],
    ]);
  });

  it("of a turn that is known goes on behind an event; nothing is sent for one that is gone", async () => {
    const { client, calls } = server([stream(frame(8, "turn.finished")), none(), problem(404, "turn_not_found")]);
    expect(await read(client.stream({ requestId: ID, after: "7" }))).toEqual([["8", "turn.finished"]]);
    await expect(read(client.stream({ requestId: ID }))).rejects.toMatchObject({ code: "turn_not_found" });
    expect(calls.map(({ method, headers }) => [method, headers.get("Last-Event-ID")])).toEqual([
      ["GET", "7"],
      ["GET", "8"],
      ["GET", null],
    ]);
  });

  it("brings along the map actions of an answer that nothing was told before", async () => {
    const marked = { ...ANSWER, steps: [{ mapActions: [] }, { mapActions: [{ type: "setView" }] }] };
    const alone = () => stream(`event: turn.finished\ndata: ${JSON.stringify({ response: marked })}\n\n`);
    const [first] = await collected(server([alone()]).client.stream({ id: "req-1.0.0" }));
    expect(first?.data).toEqual({ response: marked, apply: [{ step: 1, mapActions: [{ type: "setView" }] }] });
    const later = server([stream(frame(1, "turn.started"), `event: turn.finished\ndata: ${JSON.stringify({ response: marked })}\n\n`)]);
    expect((await collected(later.client.stream("m"))).at(-1)?.data).toEqual({ response: marked });
  });

  it("has the answer as its end also when its log is gone", async () => {
    const { client, calls } = server([stream(frame(1, "turn.started")), none(), Response.json(ANSWER)]);
    const heard = await collected(client.stream("m"));
    expect(heard.at(-1)).toEqual({ id: "", event: "turn.finished", data: { requestId: ID, response: ANSWER } });
    expect(calls.at(-1)).toMatchObject({ method: "GET", url: `api/chat/${ID}` });
  });

  it("throws when there is neither a log nor an answer", async () => {
    const { client } = server([none(), problem(404, "turn_not_found")]);
    await expect(read(client.stream({ requestId: ID, after: "7" }))).rejects.toMatchObject({ code: "turn_not_found" });
  });

  it("is tried for as long as patience lasts", async () => {
    const { client, calls } = server([gone()], { patienceMs: 0 });
    await expect(read(client.stream("m"))).rejects.toThrow(Unreachable);
    expect(calls).toHaveLength(1);
  });

  it("that is refused or ends in a problem throws it", async () => {
    const late = 'event: error\ndata: {"code":"turn_timeout","detail":"Zu lange.","status":504,"requestId":"req-1"}\n\n';
    const { client } = server([problem(422, "invalid_request"), stream(frame(1, "turn.started"), late)]);
    await expect(read(client.stream(" "))).rejects.toMatchObject({ name: "Refused", code: "invalid_request", status: 422 });
    await expect(read(client.stream("m"))).rejects.toMatchObject({ code: "turn_timeout", status: 504, requestId: ID });
    await expect(read(client.stream("m"))).rejects.toThrow(Unreachable);
  });

  it("can be left, and lets go of its connection", async () => {
    const { client, calls } = server([stream(frame(1, "turn.started"), frame(2, "plan.ready"), frame(3, "turn.finished"))]);
    for await (const { event } of client.stream("m")) if (event === "plan.ready") break;
    expect(calls[0]!.init.signal!.aborted).toBe(true);
  });

  it("ends with the reason of who aborts it", async () => {
    const leaving = new AbortController();
    const { client } = server([stream(frame(1, "turn.started"))]);
    const reading = (async () => {
      for await (const _ of client.stream("m", { signal: leaving.signal })) leaving.abort(new Error("enough"));
    })();
    await expect(reading).rejects.toThrow("enough");
  });
});
