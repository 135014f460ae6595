import { describe, expect, it } from "vitest";
import { newsOf } from "../src/chat/narration";
import type { News } from "@ask-sogis/client";
import { acknowledge, begin, stopped, take, type Exchange } from "../src/chat/turn";
import { Texts } from "../src/texts/texts.svelte";

const texts = new Texts(null);
const asked = begin({ kind: "message", text: "?" }, "key", { mapResults: [], map: null, language: "de" });
const event = (name: string, data: object): News => ({ kind: "event", id: "1", event: name, data: { requestId: "r", ...data } });
const plan = event("plan.ready", { detail: { steps: [{ intent: "search_documents" }, { intent: "goto_address" }] } });
const started = (step: number, intent: string) => event("step.started", { step, detail: { intent } });
const ends = (step: number, status: string, message: string, more: object = {}) =>
  event("step.finished", { step, answer: { intent: "x", status, message, choices: [], ...more } });
const interrupted: News = { kind: "interrupted", attempts: 1, problem: null };

/** What is told, news by news. */
function told(...news: News[]): string[] {
  let exchange: Exchange = asked;
  return news.flatMap((each) => {
    const before = exchange;
    exchange = take(before, each);
    return newsOf(before, exchange, texts).map(({ own, served }) => [own, served].filter(Boolean).join(" "));
  });
}

describe("a screen reader is told", () => {
  it("that a question is on its way, and each kind of progress", () => {
    expect(newsOf(null, asked, texts)).toEqual([{ own: "Sende …" }]);
    expect(told(event("turn.started", {}), plan, started(0, "search_documents"), started(1, "goto_address"))).toEqual([
      "Plane die Schritte …",
      "Arbeite daran …",
      "Suche Dokumente …",
      "Suche die Adresse …",
    ]);
  });

  it("each finished step once, in two languages, also when the end of the turn repeats it", () => {
    const step = { intent: "goto_address", status: "ok", message: "Zentriert.", choices: [] };
    const end = event("turn.finished", { response: { steps: [step] } });
    expect(told(plan, started(1, "goto_address"), ends(1, "ok", "Zentriert."), end).filter((each) => each.includes("Zentriert"))).toEqual([
      "Erledigt: Zentriert.",
    ]);
    const news = newsOf(asked, take(asked, ends(0, "error", "Nicht gefunden.")), texts);
    expect(news[0]).toEqual({ own: "Fehler:", served: "Nicht gefunden." });
  });

  it("the result last, not that the turn still runs", () => {
    const end = event("turn.finished", {
      response: { steps: [{ intent: "goto_address", status: "ok", message: "Zentriert.", choices: [] }] },
    });
    const one = event("plan.ready", { detail: { steps: [{ intent: "goto_address" }] } });
    expect(told(event("turn.started", {}), one, started(0, "goto_address"), ends(0, "ok", "Zentriert."), end).at(-1)).toBe(
      "Erledigt: Zentriert.",
    );
  });

  it("that layers are on their way; that they are there says who sees them", () => {
    const loads = event("step.finished", {
      step: 0,
      answer: { intent: "load_layer", status: "ok", message: "Wald geladen.", choices: [] },
    });
    expect(told(loads).filter((each) => each.includes("lade"))).toEqual(["Wird geladen …"]);
    const apply = { step: 0, mapActions: [{ type: "addLayer" }] };
    const done = take(asked, loads);
    const refused = acknowledge(done, apply, [{ type: "addLayer", id: "wald", status: "failed", reason: "unsafe_url" }]);
    expect(JSON.stringify(newsOf(done, refused, texts))).not.toContain("geladen.");
  });

  it("how many options there are", () => {
    const choices = [
      { id: "a", label: "A" },
      { id: "b", label: "B" },
    ];
    expect(told(ends(0, "needs_user_choice", "Bitte wähle.", { choices }))).toContain("Auswahlmöglichkeiten: 2.");
  });

  it("of many checks and of an answer that is being written only a little", () => {
    const found = event("documents.found", { step: 0, detail: { documents: Array.from({ length: 100 }, (_, n) => ({ id: `${n}` })) } });
    const checks = Array.from({ length: 100 }, (_, n) =>
      event("document.checked", { step: 0, detail: { id: `${n}`, checked: n + 1, total: 100 } }),
    );
    const writes = Array.from({ length: 200 }, () => event("answer.delta", { step: 0, text: "Wort " }));
    const news = told(plan, started(0, "search_documents"), found, ...checks, ...writes);
    expect(news.length).toBeLessThanOrEqual(9);
    expect(news).toContain("Prüfe Dokumente: 25 von 100");
    expect(news.filter((each) => each === "Schreibe die Antwort …")).toHaveLength(1);
    expect(news.join()).not.toContain("Wort");
  });

  it("that the connection is gone, once however often it is tried", () => {
    expect(told(interrupted, { ...interrupted, attempts: 2 }, { ...interrupted, attempts: 3 })).toEqual([
      "Verbindung unterbrochen, ich versuche es weiter …",
    ]);
  });

  it("how it ended otherwise", () => {
    expect(newsOf(asked, stopped(asked), texts)).toEqual([{ own: "Abgebrochen." }]);
    const problem = (code: string, detail: string): News => ({ kind: "problem", problem: { code, detail } });
    expect(told(problem("unreachable", ""))).toEqual(["Der Server ist nicht erreichbar."]);
    const full = take(asked, problem("queue_full", "Die Warteschlange ist voll."));
    expect(newsOf(asked, full, texts)).toEqual([{ served: "Die Warteschlange ist voll." }]);
  });

  it("what could not be done on the map, by its name", () => {
    const done = take(asked, ends(0, "ok", "Geladen."));
    const failed = [{ type: "addLayer", id: "wald", status: "failed", reason: "foreign_host" }] as const;
    const news = newsOf(done, acknowledge(done, { step: 0, mapActions: [{ payload: { label: "Wald" } }] }, failed), texts);
    expect(news).toEqual([{ own: "Auf der Karte nicht möglich (Wald): von diesem Server lädt die Seite keine Karten." }]);
  });

  it("that one has to sign in, in the language of the page, and otherwise what the server says", () => {
    const failed = (code: string) => told({ kind: "problem", problem: { code, detail: "Vom Server." } });
    const signIn = "Du bist nicht oder nicht mehr angemeldet.";
    expect([failed("unauthenticated"), failed("invalid_token"), failed("quota_spent")]).toEqual([[signIn], [signIn], ["Vom Server."]]);
  });
});
