import { describe, expect, it } from "vitest";
import { Conversation } from "../src/chat/conversation.svelte";
import type { MapResult } from "@ask-sogis/map-actions";
import { serverOf } from "./a-server";

const frame = (id: number, event: string, data: object) =>
  `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify({ requestId: "req-1", ...data })}\n\n`;
const reply = (...frames: string[]) => new Response(frames.join(""), { headers: { "Ask-Request-Id": "req-1" } });
const finished = (status = "ok", more: object = {}) => ({
  response: { steps: [{ intent: "load_layer", status, message: "m", choices: [], ...more }] },
});
const choices = [
  { id: "req-1.0.0", label: "A" },
  { id: "req-1.0.1", label: "B" },
];

const MAP = {
  center: [2600000, 1228000],
  extent: [2599000, 1227000, 2601000, 1229000],
  scale: 10000,
  crs: "EPSG:2056",
  layers: [{ id: "wald", label: "Wald", visible: true, opacity: 1, order: 0 }],
} as const;

/** A conversation with a server that answers with the given replies. */
function talk(...replies: (Response | Error)[]) {
  const sent: { method: string; url: string; body: Record<string, unknown>; after: string | null }[] = [];
  const results: MapResult[][] = [];
  const done: unknown[] = [];
  const by: (string | undefined)[] = [];
  const silent: string[] = [];
  let keys = 0;
  const chat = new Conversation({
    sessionId: () => "s",
    bus: {
      apply: async (actions, who) => {
        by.push(who);
        done.push(...actions);
        return results.shift() ?? [];
      },
    },
    server: serverOf(async (url, init) => {
      const body = JSON.parse(String(init.body ?? "{}")) as Record<string, unknown>;
      sent.push({ method: init.method ?? "GET", url, body, after: new Headers(init.headers).get("Last-Event-ID") });
      const next = replies.shift();
      if (!next || next instanceof Error) throw next ?? new TypeError("Failed to fetch");
      return next;
    }),
    language: () => "it",
    map: () => MAP,
    silent: () => silent,
    newKey: () => `key-${++keys}`,
  });
  const rest = async () => {
    for (let n = 0; n < 200; n++) await Promise.resolve();
    await new Promise((resolve) => setTimeout(resolve));
    for (let n = 0; n < 200; n++) await Promise.resolve();
  };
  return { chat, sent, results, done, by, silent, rest };
}

describe("a conversation", () => {
  it("tells the next request what became of the map actions, once", async () => {
    const apply = [{ step: 0, mapActions: [{ type: "addLayer" }] }];
    const { chat, sent, results, rest } = talk(
      reply(frame(1, "turn.finished", { ...finished(), apply })),
      reply(frame(2, "turn.finished", finished())),
      reply(frame(3, "turn.finished", finished())),
    );
    results.push([{ type: "addLayer", status: "failed", reason: "unsafe_url" }]);
    for (const text of ["eins", "zwei", "drei"]) {
      chat.ask(text);
      await rest();
    }
    expect(sent.map(({ body }) => body["mapResults"])).toEqual([
      undefined,
      [{ type: "addLayer", status: "failed", reason: "unsafe_url" }],
      undefined,
    ]);
    expect(chat.exchanges[0]?.steps[0]?.failures).toHaveLength(1);
  });

  it("asks one thing at a time, and nothing empty", async () => {
    const { chat, sent, rest } = talk(reply(frame(1, "turn.finished", finished())));
    chat.ask("  ");
    chat.ask("eins");
    chat.ask("zwei");
    await rest();
    expect(sent).toHaveLength(1);
  });

  it("answers a choice, hears only what is new, and marks it as made", async () => {
    const asked = finished("needs_user_choice", { choices });
    const { chat, sent, rest } = talk(
      reply(frame(8, "turn.finished", asked)),
      reply(frame(9, "choice.made", { detail: { choiceId: "req-1.0.1" } })),
      reply(frame(10, "turn.finished", finished())),
    );
    chat.ask("eins");
    await rest();
    chat.choose(chat.exchanges[0]!.steps[0]!.choices[1]!);
    await rest();
    expect(sent[1]?.body).toMatchObject({ sessionId: "s", choiceId: "req-1.0.1" });
    expect(sent[2]).toMatchObject({ method: "GET", after: "9" });
    expect(chat.exchanges.map(({ state }) => state)).toEqual(["finished", "finished"]);
    expect(chat.exchanges[0]?.steps[0]?.chosen).toBe("req-1.0.1");
  });

  it("goes on with a running turn after a reload", async () => {
    const { chat, rest } = talk(reply(frame(1, "turn.started", {})), new Error("gone"));
    chat.ask("eins");
    await rest();
    const saved = chat.exchanges.map((exchange) => ({ ...exchange, state: "running" as const, problem: null }));
    const next = talk(reply(frame(2, "turn.finished", finished())));
    next.chat.restore(saved);
    await next.rest();
    expect(next.sent).toMatchObject([{ method: "GET", url: "api/chat/req-1/stream", after: "1" }]);
    expect(next.chat.exchanges.map(({ state }) => state)).toEqual(["finished"]);
  });

  it("asks again with a new key after a failure", async () => {
    const { chat, sent, rest } = talk(new Response("{}", { status: 422 }), reply(frame(1, "turn.finished", finished())));
    chat.ask("eins");
    await rest();
    expect(chat.exchanges[0]?.state).toBe("failed");
    chat.retry(chat.exchanges[0]!.key);
    await rest();
    expect(chat.exchanges.map(({ state }) => state)).toEqual(["finished"]);
    expect(sent.map(({ body }) => body["userMessage"])).toEqual(["eins", "eins"]);
  });

  it("tells with a message what the map shows, and with a choice nothing of it", async () => {
    const { chat, sent, rest } = talk(
      reply(frame(8, "turn.finished", finished("needs_user_choice", { choices }))),
      reply(frame(9, "turn.finished", finished())),
    );
    chat.ask("eins");
    await rest();
    chat.choose(chat.exchanges[0]!.steps[0]!.choices[1]!);
    await rest();
    expect(sent[0]?.body["map"]).toEqual(MAP);
    expect(sent[1]?.body).not.toHaveProperty("map");
  });

  it("tells once of each layer whose pictures do not come, and again when they stay away anew", async () => {
    const answers = Array.from({ length: 5 }, (_, n) => reply(frame(n + 1, "turn.finished", finished())));
    const { chat, sent, silent, rest } = talk(...answers);
    for (const away of [["wald"], ["wald", "moor"], [], ["wald"]]) {
      silent.splice(0, silent.length, ...away);
      chat.ask("eins");
      await rest();
    }
    const told = (id: string) => ({ type: "addLayer", id, status: "failed", reason: "layer_silent" });
    expect(mapResults(sent)).toEqual([[told("wald")], [told("moor")], undefined, [told("wald")]]);
  });

  it("lets all that is done for one answer be taken back together", async () => {
    const actions = (step: number) => ({ apply: [{ step, mapActions: [{ type: "clearMap" }] }] });
    const { chat, by, rest } = talk(
      reply(frame(1, "step.finished", { step: 0, answer: {}, ...actions(0) }), frame(2, "turn.finished", { ...finished(), ...actions(1) })),
      reply(frame(3, "turn.finished", { ...finished(), ...actions(0) })),
    );
    for (const text of ["eins", "zwei"]) {
      chat.ask(text);
      await rest();
    }
    expect(by).toEqual(["key-1", "key-1", "key-2"]);
  });

  const failure = [{ type: "addLayer", status: "failed", reason: "unsafe_url" }] as const;
  const apply = [{ step: 0, mapActions: [{ type: "addLayer" }] }];
  const withFailure = () => reply(frame(1, "turn.finished", { ...finished(), apply }));
  const mapResults = (sent: { body: Record<string, unknown> }[]) => sent.map(({ body }) => body["mapResults"]);

  it("tells what became of map actions again when nobody has taken it", async () => {
    const { chat, sent, results, rest } = talk(
      withFailure(),
      new Response("{}", { status: 422 }),
      reply(frame(2, "turn.finished", finished())),
    );
    results.push([...failure]);
    for (const text of ["eins", "zwei"]) {
      chat.ask(text);
      await rest();
    }
    chat.retry(chat.exchanges[1]!.key);
    await rest();
    expect(mapResults(sent)).toEqual([undefined, failure, failure]);
    expect(chat.unsent).toEqual([]);
  });

  it("tells what became of map actions after a reload too", async () => {
    const { chat, results, rest } = talk(withFailure());
    results.push([...failure]);
    chat.ask("eins");
    await rest();
    expect(chat.unsent).toEqual(failure);
    const next = talk(reply(frame(2, "turn.finished", finished())));
    next.chat.restore(chat.exchanges, chat.unsent);
    next.chat.ask("zwei");
    await next.rest();
    expect(mapResults(next.sent)).toEqual([failure]);
  });

  it("does after a reload what was not done on the map before it, once", async () => {
    const apply = [{ step: 0, mapActions: [{ type: "addLayer" }] }];
    const { chat, rest } = talk(reply(frame(1, "turn.finished", { ...finished(), apply })));
    chat.ask("eins");
    await rest();
    const [done] = chat.exchanges;
    const before = { ...done!, pending: apply };
    const next = talk();
    next.chat.restore(JSON.parse(JSON.stringify([before])));
    await next.rest();
    expect(next.done).toEqual([{ type: "addLayer" }]);
    expect(next.chat.exchanges[0]?.pending).toEqual([]);
    const again = talk();
    again.chat.restore(next.chat.exchanges);
    await again.rest();
    expect(again.done).toEqual([]);
  });

  it("has what was said before it, which needs longer, without anything twice", async () => {
    const { chat, rest } = talk(reply(frame(1, "turn.finished", finished())));
    chat.ask("eins");
    await rest();
    const latest = { ...chat.exchanges[0]!, key: "latest" };
    const older = (key: string) => ({ ...latest, key, pending: [{ step: 0, mapActions: [{ type: "addLayer" }] }] });
    const next = talk(reply(frame(2, "turn.finished", finished())));
    next.chat.restore([latest], [], 3);
    next.chat.ask("zwei");
    next.chat.precede([older("a"), { ...older("b"), state: "running" }, older("c"), latest]);
    await next.rest();
    const { exchanges } = next.chat;
    expect(exchanges.map(({ key }) => key)).toEqual(["a", "c", "latest", exchanges[3]?.key]);
    expect(exchanges.map((each) => next.chat.isPast(each))).toEqual([true, true, true, false]);
    expect(exchanges[3]?.state).toBe("finished");
    expect([next.chat.lost, next.done]).toEqual([1, []]);
  });

  it("brings into view what there is to choose from when it is new, and not after a reload", async () => {
    const at = (east: number) => ({ mapActions: [{ type: "addMarker", payload: { id: `${east}`, coord: [east, 1228000] } }] });
    const places = choices.map((choice, n) => ({ ...choice, ...at(2600000 + n) }));
    const asked = finished("needs_user_choice", { choices: places });
    const pending = frame(7, "choice.pending", { step: 0, answer: asked.response.steps[0] });
    const { chat, done, rest } = talk(reply(pending, frame(8, "turn.finished", asked)));
    chat.ask("eins");
    await rest();
    expect(done).toMatchObject([{ type: "setView", payload: { extent: [2600000, 1228000, 2600001, 1228000] } }]);
    const next = talk();
    next.chat.restore(chat.exchanges);
    await next.rest();
    expect(next.done).toEqual([]);
  });

  it("keeps what was written when it is stopped", async () => {
    const delta = frame(2, "answer.delta", { step: 0, text: "Die Ausscheidung" });
    const given = { intent: "answer", status: "error", message: "Abgebrochen.", choices: [] };
    const ends = frame(3, "turn.finished", { detail: { cancelled: true }, response: { steps: [given] } });
    let write!: (text: string) => void;
    const body = new ReadableStream<Uint8Array>({
      start: (stream) => {
        write = (text) => stream.enqueue(new TextEncoder().encode(text));
      },
    });
    const { chat, sent, rest } = talk(new Response(body, { headers: { "Ask-Request-Id": "req-1" } }), new Response(null, { status: 202 }));
    chat.ask("eins");
    await rest();
    write(delta);
    await rest();
    void chat.stop();
    write(ends);
    await rest();
    expect(sent.at(-1)).toMatchObject({ method: "DELETE", url: "api/chat/req-1" });
    expect(chat.exchanges).toMatchObject([{ state: "cancelled", steps: [{ message: "Die Ausscheidung", isCut: true }] }]);
  });

  it("loses no turn, however many there are", async () => {
    const { chat, rest } = talk(...Array.from({ length: 70 }, (_, n) => reply(frame(n + 1, "turn.finished", finished()))));
    for (let n = 0; n < 70; n++) {
      chat.ask(`Frage ${n}`);
      await rest();
    }
    expect(chat.exchanges).toHaveLength(70);
    chat.leave();
    expect(chat.exchanges).toEqual([]);
  });

  it("keeps a question that was refused, and asks it again", async () => {
    const refusal = new Response(JSON.stringify({ code: "unauthenticated", detail: "…" }), { status: 401 });
    const { chat, sent, rest } = talk(refusal, reply(frame(1, "turn.finished", finished())));
    chat.ask("eins");
    await rest();
    expect(chat.exchanges.map(({ state, asked }) => [state, asked])).toEqual([["failed", { kind: "message", text: "eins" }]]);
    chat.retry(chat.exchanges[0]!.key);
    await rest();
    expect(chat.exchanges.map(({ state }) => state)).toEqual(["finished"]);
    expect(sent.map(({ body }) => body["userMessage"])).toEqual(["eins", "eins"]);
  });

  it("knows in which language it was answered; what an older page has saved was German", async () => {
    const { chat, rest } = talk(reply(frame(1, "turn.finished", finished())));
    chat.ask("uno");
    await rest();
    expect(chat.exchanges.map(({ language }) => language)).toEqual(["it"]);
    const next = talk();
    const saved = chat.exchanges.map(({ language: _, ...exchange }) => exchange) as unknown as typeof chat.exchanges;
    next.chat.restore(saved);
    expect(next.chat.exchanges.map(({ language }) => language)).toEqual(["de"]);
  });

  it("that is left is forgotten here, and stays where it was said", async () => {
    const { chat, sent, rest } = talk(reply(frame(1, "turn.finished", finished())));
    chat.ask("eins");
    await rest();
    chat.leave();
    await rest();
    expect([chat.exchanges, sent.length]).toEqual([[], 1]);
  });

  it("tells what its user thinks of a turn, and keeps it with all of the turn", async () => {
    const asked = finished("needs_user_choice", { choices });
    const { chat, sent, rest } = talk(
      reply(frame(1, "turn.finished", asked)),
      reply(frame(2, "turn.finished", finished())),
      new Response(null, { status: 204 }),
      new Response(null, { status: 204 }),
    );
    chat.ask("eins");
    await rest();
    chat.choose(choices[1]! as never);
    await rest();
    const last = chat.exchanges.at(-1)!.key;
    const feedback = { verdict: "down", reason: "other", comment: "" } as const;
    expect(await chat.judge(last, feedback)).toBeNull();
    expect(sent.at(-1)).toMatchObject({ method: "POST", url: "api/feedback" });
    expect(sent.at(-1)?.body).toEqual({ sessionId: "s", requestId: "req-1", verdict: "down", reason: "other" });
    expect(chat.exchanges.map((each) => each.feedback)).toEqual([feedback, feedback]);
    await chat.judge(last, null);
    expect(sent.at(-1)?.body).toEqual({ sessionId: "s", requestId: "req-1", verdict: null });
    expect(chat.exchanges.map((each) => each.feedback)).toEqual([null, null]);
  });

  it("keeps no opinion that the server does not have", async () => {
    const refusal = new Response(JSON.stringify({ code: "turn_not_found", detail: "Zu lange her." }), { status: 404 });
    const { chat, rest } = talk(reply(frame(1, "turn.finished", finished())), refusal, new Error("gone"));
    chat.ask("eins");
    await rest();
    const { key } = chat.exchanges[0]!;
    const feedback = { verdict: "up", reason: null, comment: "" } as const;
    expect(await chat.judge(key, feedback)).toMatchObject({ code: "turn_not_found", detail: "Zu lange her." });
    expect(await chat.judge(key, feedback)).toMatchObject({ code: "unreachable" });
    expect(chat.exchanges[0]?.feedback).toBeNull();
  });

  it("has no opinion where an older page has saved it", () => {
    const { chat } = talk();
    const { feedback: _, ...saved } = { key: "k", state: "finished", steps: [], feedback: 1 };
    chat.restore([saved] as never);
    expect(chat.exchanges[0]?.feedback).toBeNull();
  });
});
