import { screen, within } from "@testing-library/svelte";
import { describe, expect, test } from "vitest";
import type { Research, Source } from "@ask-sogis/copilot/chat/contract";
import ResearchView from "@ask-sogis/copilot/ui/ResearchView.svelte";
import { shown } from "./an-app";

const BARE: Research = { documents: [], proposals: [], sources: [], suggestions: [] };
const SOURCE: Source = { n: 1, name: "Botschaft", url: "https://so.ch/a.pdf" };

const view = (research: Partial<Research>) =>
  shown(ResearchView, { research: { ...BARE, ...research }, language: "de", isDone: true, id: "x" });

describe("the sources of an answer", () => {
  test("lead to where it stands, each by a link of its own", () => {
    const places = [
      { section: "Kosten", page: 3, url: "https://so.ch/a.pdf#page=3" },
      { page: 7, url: null },
    ];
    view({ sources: [{ ...SOURCE, places }] });
    const link = screen.getByRole("link", { name: "Abschnitt «Kosten», Seite 3" });
    expect([link.getAttribute("href"), link.getAttribute("target"), link.getAttribute("rel")]).toEqual([
      "https://so.ch/a.pdf#page=3",
      "_blank",
      "noopener noreferrer",
    ]);
    expect(screen.queryByRole("link", { name: "Seite 7" })).toBeNull();
    expect(screen.getByText("Seite 7")).toBeTruthy();
  });

  test("of a conversation that was kept before there were places are shown as well", () => {
    view({ sources: [SOURCE] });
    expect(screen.getAllByRole("link")).toHaveLength(1);
  });

  test("say that they are invented, and so do the documents and proposals that were looked at", () => {
    const document = { id: "a", name: "A", url: null, isChecked: true, isRelevant: true, relevanceReason: "passt", isSample: true };
    const proposal = { identifier: "M 1", name: "M", subject: "s", url: null, isSample: true };
    view({ sources: [{ ...SOURCE, isSample: true }], documents: [document], proposals: [proposal] });
    expect(within(screen.getByRole("heading", { name: /^Quellen/ })).getByText("Muster")).toBeTruthy();
    expect(screen.getAllByText("Muster")).toHaveLength(3);
  });

  test("say nothing of that when they are real", () => {
    view({ sources: [SOURCE] });
    expect(screen.queryByText("Muster")).toBeNull();
  });
});
