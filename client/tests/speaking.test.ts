import { expect, it } from "vitest";
import { speaking } from "../src/session/speaking";

it("asks for an answer in the language of the page, whatever else is sent", async () => {
  const sent: [RequestInfo | URL, RequestInit | undefined][] = [];
  let language = "fr";
  const fetch = speaking(
    (input, init) => {
      sent.push([input, init]);
      return Promise.resolve(new Response());
    },
    () => language,
  );
  await fetch("api/chat", { method: "POST", headers: { "Content-Type": "application/json" }, body: "{}" });
  language = "it";
  await fetch("api/chat/req-1");
  expect(sent.map(([input, init]) => [input, init?.method, Object.fromEntries(new Headers(init?.headers))])).toEqual([
    ["api/chat", "POST", { "accept-language": "fr", "content-type": "application/json" }],
    ["api/chat/req-1", undefined, { "accept-language": "it" }],
  ]);
  expect(sent[0]?.[1]?.body).toBe("{}");
});
