import { expect, it } from "vitest";
import { copyOf } from "../src/chat/copying";
import { begin, take, type Exchange } from "../src/chat/turn";

const step = (message: string, sources: object[] = []) => ({ intent: "answer", status: "ok", message, choices: [], research: { sources } });

function answered(...steps: object[]): Exchange {
  const exchange = begin({ kind: "message", text: "?" }, "key", { mapResults: [], map: null, language: "de" });
  return take(exchange, { kind: "event", id: "1", event: "turn.finished", data: { requestId: "r", response: { steps } } });
}

it("takes along what the numbers in an answer stand for", () => {
  const sources = [
    { n: 1, name: "Botschaft", url: "https://ris.example.org/1" },
    { n: 2, name: "Plan", url: "/api/prints/7" },
    { n: 3, name: "Ohne Adresse" },
  ];
  const { steps } = answered(step("Eine Zone."), step("Ein Kredit [1], ein Plan [2].", sources), step(""));
  expect(copyOf(steps, "Quellen", "https://ask.example.org/karte/")).toBe(
    `Eine Zone.

Ein Kredit [1], ein Plan [2].

Quellen:
[1] Botschaft, https://ris.example.org/1
[2] Plan, https://ask.example.org/api/prints/7
[3] Ohne Adresse`,
  );
});
