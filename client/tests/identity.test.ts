import { describe, expect, it } from "vitest";
import { Identity } from "../src/session/identity.svelte";
import { serverOf } from "../../packages/ask-copilot/tests/a-server";

const PAGE = { pathname: "/karte/", search: "?a=1&b" };
const VISITOR = { auth: ["anonymous", "oidc"], kind: "anonymous", name: null, signIn: "/auth/login", signOut: null };
const USER = { ...VISITOR, kind: "user", name: "Eva Muster", signOut: "/auth/logout" };

/** What the server answers, one after the other, and what it was asked. */
async function identity(...answers: (Response | object | null)[]) {
  const asked: string[] = [];
  const fetch = async (url: string, init: RequestInit) => {
    asked.push(`${init.method ?? "GET"} ${url}`);
    const answer = answers.shift();
    if (answer == null) throw new TypeError("Failed to fetch");
    return answer instanceof Response ? answer : Response.json(answer);
  };
  const made = new Identity(serverOf(fetch));
  await made.known;
  return { identity: made, asked };
}

describe("who the server takes the browser for", () => {
  it.each([
    ["where nobody asks", { auth: ["none"], kind: "local", name: null, signIn: null, signOut: null }, [false, false, false]],
    ["a visitor without a sign-in", { ...VISITOR, signIn: null }, [false, false, false]],
    ["a visitor who may sign in", VISITOR, [false, true, false]],
    ["nobody, who has to sign in", { ...VISITOR, kind: null }, [true, true, false]],
    ["nobody, where only programs get in", { ...VISITOR, kind: null, signIn: null }, [true, false, false]],
    ["a user", USER, [false, false, true]],
  ])("is %s", async (_, me, expected) => {
    const { identity: who, asked } = await identity(me);
    expect([who.isNobody, who.canSignIn, who.isUser]).toEqual(expected);
    expect(asked).toEqual(["GET api/me"]);
  });

  it.each([[null], [new Response("", { status: 404 })], [new Response("<html>")], [[]]])(
    "stays open when the server does not say it (%#)",
    async (answer) => {
      const { identity: who } = await identity(answer);
      expect(who.canSignIn || who.isUser).toBe(false);
    },
  );

  it("is nobody from the moment a request is refused, and may sign in again", async () => {
    const { identity: who } = await identity(USER);
    who.refused();
    expect([who.isNobody, who.canSignIn, who.isUser]).toEqual([true, true, false]);
  });

  it("is looked up again: a sign-in may end, or begin in another tab", async () => {
    const { identity: who } = await identity(USER, VISITOR, null, USER);
    const seen = [];
    for (let n = 0; n < 4; n++) {
      seen.push([who.isUser, who.canSignIn, who.isNobody]);
      if (n === 2) who.refused();
      await who.look();
    }
    expect(seen).toEqual([
      [true, false, false],
      [false, true, false],
      [false, true, false],
      [true, false, false],
    ]);
  });

  it("tells users of one browser apart", async () => {
    const marks = await Promise.all([VISITOR, USER, { ...USER, name: "Urs" }, null].map(async (me) => (await identity(me)).identity.mark));
    expect(new Set(marks).size).toBe(4);
    expect(marks.at(-1)).toBe(null);
  });
});

describe("signing in and out", () => {
  it("comes back to the page", async () => {
    const { identity: who } = await identity(VISITOR);
    expect(who.signInAddress(PAGE)).toBe("/auth/login?next=%2Fkarte%2F%3Fa%3D1%26b");
  });

  it.each(["//evil.example/x", "/\\evil.example", "https://evil.example/", "javascript:alert(1)", "auth/login"])(
    "leads nowhere else: %s",
    async (signIn) => {
      const { identity: who } = await identity({ ...VISITOR, signIn });
      expect([who.canSignIn, who.signInAddress(PAGE)]).toEqual([false, null]);
    },
  );

  it.each([
    [{ location: "https://provider.example/end?x" }, "https://provider.example/end?x"],
    [{ location: null }, "/karte/"],
    [new Response(null, { status: 204 }), "/karte/"],
    [new Response("{}", { status: 401 }), "/karte/"],
    [new Response("{}", { status: 503 }), null],
    [null, null],
  ])("ends here, then at the provider (%#)", async (answer, expected) => {
    const { identity: who, asked } = await identity(USER, answer);
    expect(await who.signOut(PAGE)).toBe(expected);
    expect(asked.at(-1)).toBe("POST /auth/logout");
  });

  it("is not for visitors", async () => {
    const { identity: who, asked } = await identity(VISITOR);
    expect([await who.signOut(PAGE), asked.length]).toEqual([null, 1]);
  });
});
