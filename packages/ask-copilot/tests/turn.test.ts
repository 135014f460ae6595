import { describe, expect, it } from "vitest";
import { normaliseChoices } from "../src/chat/reading";
import { standingOf } from "../src/chat/narration";
import { acknowledge, applicable, begin, chosen, expired, isOpen, stopped, take, type Exchange } from "../src/chat/turn";
import type { News } from "@ask-sogis/client";

type Said = [event: string, data: object];

function told(...said: Said[]): Exchange {
  return said.reduce<Exchange>(
    (exchange, [event, data], n) => take(exchange, { kind: "event", id: String(n + 1), event, data: { requestId: "req-1", ...data } }),
    begin({ kind: "message", text: "Gehe …" }, "key", { mapResults: [], map: null, language: "de" }),
  );
}

const plan = (...intents: string[]): Said => ["plan.ready", { detail: { steps: intents.map((intent) => ({ intent })) } }];
const answer = (intent: string, status: string, message: string, more: object = {}) => ({ intent, status, message, choices: [], ...more });
const options = [
  { id: "req-1.0.0", label: "198", confidence: 0.9, mapActions: [{ type: "addMarker" }] },
  { id: "req-1.0.1", label: "531" },
];

describe("an exchange", () => {
  it("shows the steps of the plan, and each as it finishes, in the order of the plan", () => {
    const exchange = told(
      ["turn.started", {}],
      plan("goto_address", "load_layer"),
      ["step.started", { step: 0, detail: { intent: "goto_address" } }],
      ["step.started", { step: 1, detail: { intent: "load_layer" } }],
      ["step.finished", { step: 1, answer: answer("load_layer", "ok", "geladen") }],
    );
    expect(exchange.steps.map(({ phase, message }) => [phase, message])).toEqual([
      ["working", ""],
      ["done", "geladen"],
    ]);
    expect([exchange.state, exchange.after, exchange.requestId]).toEqual(["running", "5", "req-1"]);
  });

  it("writes the answer as it comes, and begins anew when it is withdrawn", () => {
    const delta = (text: string, more: object = {}): Said => ["answer.delta", { step: 0, text, ...more }];
    expect(told(plan("answer"), delta("Gru"), delta("nd")).steps[0]).toMatchObject({ message: "Grund", isDraft: true });
    expect(told(plan("answer"), delta("Gru"), delta("Neu", { restart: true })).steps[0]?.message).toBe("Neu");
    const final: Said = ["step.finished", { step: 0, answer: answer("answer", "ok", "Ganz") }];
    expect(told(plan("answer"), delta("Gru"), final).steps[0]).toMatchObject({ message: "Ganz", isDraft: false });
  });

  it("counts the checks of documents, and judges each", () => {
    const exchange = told(
      plan("search_documents"),
      [
        "documents.found",
        {
          step: 0,
          detail: {
            documents: [
              { id: "a", name: "A", url: "javascript:x" },
              { id: "b", name: "B" },
            ],
          },
        },
      ],
      ["document.checked", { step: 0, detail: { id: "b", isRelevant: true, reason: "passt", checked: 1, total: 2 } }],
    );
    const step = exchange.steps[0];
    expect(step?.checked).toEqual({ done: 1, total: 2 });
    expect(step?.research?.documents.map(({ url, isChecked, relevanceReason }) => [url, isChecked, relevanceReason])).toEqual([
      [null, false, ""],
      [null, true, "passt"],
    ]);
  });

  it("offers a choice until it is made or expires", () => {
    const expiresAt = "2026-01-01T12:00:00+00:00";
    const at = Date.parse(expiresAt);
    const pending: Said = [
      "choice.pending",
      { step: 0, detail: { expiresAt }, answer: answer("oereb_extract", "needs_user_choice", "?", { choices: options }) },
    ];
    const response = { steps: [answer("oereb_extract", "needs_user_choice", "?", { choices: options })] };
    const exchange = told(plan("oereb_extract"), pending, ["turn.finished", { response }]);
    const step = exchange.steps[0]!;
    expect([exchange.state, isOpen(step, at - 1), isOpen(step, at)]).toEqual(["finished", true, false]);
    const after = chosen(exchange, "req-1.0.1").steps[0]!;
    expect([after.chosen, isOpen(after, at - 1)]).toEqual(["req-1.0.1", false]);
    expect(chosen(exchange, "req-9.0.0")).toBe(exchange);
    expect(isOpen(expired(exchange).steps[0]!, at - 1)).toBe(false);
  });

  it("keeps several open choices apart", () => {
    const pending = (step: number): Said => [
      "choice.pending",
      {
        step,
        answer: answer("load_layer", "needs_user_choice", "?", {
          choices: [
            { id: `req-1.${step}.0`, label: "a" },
            { id: `req-1.${step}.1`, label: "b" },
          ],
        }),
      },
    ];
    const exchange = chosen(told(plan("load_layer", "load_layer"), pending(1), pending(0)), "req-1.1.0");
    expect(exchange.steps.map((step) => isOpen(step, 0))).toEqual([true, false]);
  });

  it("takes an answer that is in no log from the last event", () => {
    const response = { steps: [answer("clarify", "error", "Es liegt keine offene Auswahl vor.")] };
    const exchange = told(["turn.finished", { response }]);
    expect(exchange.state).toBe("finished");
    expect(exchange.steps).toMatchObject([{ status: "error", message: "Es liegt keine offene Auswahl vor." }]);
  });

  it("drops its plan when it turns out to answer a choice", () => {
    const exchange = told(["turn.finished", { detail: { forwardedTo: "req-2.0.1" } }], ["step.started", { requestId: "req-2", step: 0 }]);
    expect([exchange.state, exchange.requestId, exchange.steps.length]).toEqual(["running", "req-2", 1]);
  });

  it("knows an answer that ends before its end", () => {
    const cut = { ...answer("answer", "ok", "Die Ausscheidung"), cut: true };
    const [step] = told(plan("answer"), ["step.finished", { step: 0, answer: cut }]).steps;
    expect([step!.isUnfinished, standingOf(step!)]).toEqual([true, "incomplete"]);
  });

  it("is cancelled when the server says so", () => {
    const exchange = told(plan("load_layer"), ["turn.finished", { detail: { cancelled: true }, response: { steps: [] } }]);
    expect([exchange.state, exchange.steps]).toEqual(["cancelled", []]);
  });

  it("keeps what was written when it is stopped, and only then", () => {
    const event = (event: string, data: Record<string, unknown>): News => ({ kind: "event", id: "9", event, data });
    const delta: Said = ["answer.delta", { step: 0, text: "Die Ausscheidung kostet" }];
    const given = answer("answer", "error", "Abgebrochen.");
    const ends = [
      event("step.finished", { step: 0, answer: given }),
      event("turn.finished", { detail: { cancelled: true }, response: { steps: [given] } }),
    ];
    const running = told(plan("answer"), delta);
    const kept = ends.reduce(take, { ...running, isStopping: true });
    expect([kept.state, kept.steps]).toMatchObject(["cancelled", [{ message: "Die Ausscheidung kostet", isCut: true, isDraft: false }]]);
    expect(ends.reduce(take, running).steps).toMatchObject([{ message: "Abgebrochen.", isCut: false }]);
    expect(stopped(running)).toMatchObject({ state: "cancelled", steps: [{ message: "Die Ausscheidung kostet", isCut: true }] });
    const late = event("step.finished", { step: 0, answer: answer("answer", "ok", "Ganz") });
    expect(take({ ...running, isStopping: true }, late).steps).toMatchObject([{ message: "Ganz", isCut: false }]);
  });

  it("says why it does not go on, until it does", () => {
    const problem = { code: "queue_full", detail: "Die Warteschlange ist voll." };
    const waiting = take(told(plan("answer")), { kind: "interrupted", attempts: 3, problem });
    expect(waiting).toMatchObject({ state: "running", progress: "interrupted", attempts: 3, problem });
    expect(take(waiting, { kind: "accepted", requestId: "req-1" })).toMatchObject({ attempts: 0, problem: null });
  });

  it("keeps what is done when the connection fails for good", () => {
    const running = told(plan("goto_address", "load_layer"), ["step.finished", { step: 0, answer: answer("goto_address", "ok", "da") }]);
    const exchange = take(running, { kind: "problem", problem: { code: "unreachable", detail: "" } });
    expect([exchange.state, exchange.steps.map(({ message }) => message)]).toEqual(["failed", ["da"]]);
  });

  it("shows the links of an extract with its step, and none that leads elsewhere than to the web", () => {
    const show = (url: string) => ({ type: "showOerebExtract", payload: { egrid: "CH1", url, mapUrl: "javascript:alert(1)" } });
    const said = (url: string): Said => [
      "step.finished",
      { step: 0, answer: answer("oereb_extract", "ok", "da"), apply: [{ step: 0, mapActions: [show(url)] }] },
    ];
    expect(told(said("https://geo.so.ch/x.pdf")).steps[0]?.extracts).toMatchObject([
      { egrid: "CH1", url: "https://geo.so.ch/x.pdf", content: null },
    ]);
    expect(told(said("javascript:alert(1)")).steps[0]?.extracts).toEqual([]);
  });

  it("keeps what is to be done on the map until it is done", () => {
    const exchange = told(plan("load_layer"), ["step.finished", { step: 0, apply: [{ step: 0, mapActions: [{}] }] }]);
    expect(exchange.pending).toEqual([{ step: 0, mapActions: [{}] }]);
    expect(acknowledge(exchange, exchange.pending[0]!, [{ type: "clearMap", status: "applied" }]).pending).toEqual([]);
  });

  it("shows what failed on the map in its step", () => {
    const failed = { type: "addLayer", status: "failed", reason: "unsafe_url" } as const;
    const actions = [{ type: "setView" }, { type: "addLayer", payload: { id: "wald", label: "Wald" } }];
    const exchange = acknowledge(told(plan("load_layer")), { step: 0, mapActions: actions }, [
      { type: "setView", status: "applied" },
      failed,
    ]);
    expect(exchange.steps[0]).toMatchObject({ failures: [{ ...failed, label: "Wald" }], layers: [] });
  });

  it("knows the layers that a step has put on the map", () => {
    const added = (id: string) => ({ type: "addLayer", id, status: "applied" }) as const;
    const exchange = acknowledge(told(plan("load_layer")), { step: 0, mapActions: [{}, {}, {}] }, [added("a"), added("b"), added("a")]);
    expect(exchange.steps[0]).toMatchObject({ failures: [], layers: ["a", "b"] });
  });

  it.each([undefined, null, 7, "x", [], { steps: "x" }, { detail: { steps: [null, 3] } }, { step: "0", answer: [] }])(
    "is not upset by nonsense: %j",
    (data) => {
      for (const event of ["plan.ready", "step.finished", "documents.found", "document.checked", "answer.delta", "turn.finished"]) {
        expect(() => told([event, data as object])).not.toThrow();
      }
    },
  );
});

describe("what may be done on the map", () => {
  it("is what the event hands out, step by step", () => {
    expect(applicable({ apply: [{ step: 1, mapActions: ["a"] }, { mapActions: ["b"] }, { step: 0 }, null] })).toEqual([
      { step: 1, mapActions: ["a"] },
      { step: -1, mapActions: ["b"] },
    ]);
    expect(applicable({ response: { steps: [{ mapActions: ["a"] }] } })).toEqual([]);
  });
});

describe("choices", () => {
  it("are read from a list, or from an object by id", () => {
    const expected = [{ id: "a", label: "A", confidence: null, mapActions: [] }];
    expect(normaliseChoices([{ id: "a", label: "A" }])).toEqual(expected);
    expect(normaliseChoices({ a: { label: "A" } })).toEqual(expected);
  });

  it("fall back on their facts, and are dropped without an id or a label", () => {
    const found = normaliseChoices([{ data: { id: "a", label: "A" } }, { id: "b" }, { label: "c" }, null, "d", { id: " ", label: " " }]);
    expect(found.map(({ id, label }) => [id, label])).toEqual([["a", "A"]]);
  });

  it("are not repeated, and only a share of one is a confidence", () => {
    const found = normaliseChoices([
      { id: "a", label: "A", confidence: 1.5 },
      { id: "a", label: "again" },
      { id: "b", label: "B", confidence: 0.5 },
    ]);
    expect(found.map(({ label, confidence }) => [label, confidence])).toEqual([
      ["A", null],
      ["B", 0.5],
    ]);
  });

  it.each([null, undefined, 3, "x", true])("are none in %j", (value) => expect(normaliseChoices(value)).toEqual([]));
});
