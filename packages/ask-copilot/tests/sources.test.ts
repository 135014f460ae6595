import { describe, expect, it } from "vitest";
import { readAnswer } from "../src/chat/reading";

const sourceWith = (facts: object) =>
  readAnswer({ research: { sources: [{ n: 1, id: "a", name: "Botschaft", url: "https://so.ch/a.pdf", ...facts }] } }).research?.sources[0];

describe("a source", () => {
  it("is as it is told, without places and no sample, when it says nothing of them", () => {
    expect(sourceWith({})).toEqual({ n: 1, name: "Botschaft", url: "https://so.ch/a.pdf" });
  });

  it("leads to its places", () => {
    const url = "https://so.ch/a.pdf#page=3";
    expect(sourceWith({ places: [{ section: "Kosten", page: 3, url }, { page: 4 }] })?.places).toEqual([
      { section: "Kosten", page: 3, url },
      { page: 4, url: null },
    ]);
  });

  it.each(["javascript:alert(1)", "data:text/html,x", "//evil.example", "https://a:b@so.ch", 5])("leads nowhere by %j", (url) => {
    expect(sourceWith({ places: [{ section: "Kosten", url }] })?.places).toEqual([{ section: "Kosten", url: null }]);
  });

  it("has three places at most, and none that has no name", () => {
    const unnamed = [{}, null, { section: 5, page: "3" }, { page: 0 }, { page: 1.5 }, { page: -1, section: "" }];
    expect(unnamed.map((place) => sourceWith({ places: [place] })?.places)).toEqual(unnamed.map(() => []));
    expect(sourceWith({ places: Array.from({ length: 9 }, (_, n) => ({ page: n + 1 })) })?.places).toHaveLength(3);
  });

  it("is a sample only where that is said", () => {
    expect([true, false, "true", 1, undefined].map((sample) => sourceWith({ sample })?.isSample)).toEqual([
      true,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it("shares that with documents and proposals", () => {
    const research = { trackedDocuments: [{ id: "a", sample: true }, { id: "b" }], trackedProposals: [{ sample: true }, {}] };
    const read = readAnswer({ research }).research!;
    expect(read.documents.map(({ isSample }) => isSample)).toEqual([true, undefined]);
    expect(read.proposals.map(({ isSample }) => isSample)).toEqual([true, undefined]);
  });
});
