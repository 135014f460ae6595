import { describe, expect, it } from "vitest";
import { factsOf } from "../src/chat/standing";
// The tools that write the sentences are held to the same table.
import cases from "../../../tests/support/standings.json";

function theme(name: string): object {
  const [code, subCode] = name.split("/");
  return { code, title: name, ...(subCode ? { subCode } : {}) };
}

describe("how a theme stands", () => {
  it.each(cases)("with $name", ({ concerned, notConcerned, withoutData, restricted, standings }) => {
    const lists = { concerned: concerned.map(theme), notConcerned: notConcerned.map(theme), withoutData: withoutData.map(theme) };
    const facts = factsOf({ ...lists, restrictions: restricted.map((name) => ({ theme: theme(name) })) });
    expect(facts.map(({ title, standing }) => [title, standing])).toEqual(Object.entries(standings));
  });

  it("has the title of the restriction before that of a list that denies it", () => {
    const restrictions = [{ theme: { code: "a", title: "Title of the restriction" } }];
    const [fact] = factsOf({ notConcerned: [{ code: "a", title: "Title in the list" }], restrictions });
    expect(fact?.title).toBe("Title of the restriction");
  });
});
