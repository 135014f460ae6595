import { expectTypeOf, it } from "vitest";
import type { Asking, ChatResponse, Client, Identified, Known, Server, TurnEvent, TurnProgress } from "../src/index.js";

// `npm run check` reads them; nothing runs.

it("knows what is answered", () => {
  expectTypeOf<Client["chat"]>().returns.resolves.toEqualTypeOf<ChatResponse>();
  expectTypeOf<Server["turn"]>().returns.resolves.toEqualTypeOf<ChatResponse | TurnProgress>();
  expectTypeOf<Identified["items"][number]>().toHaveProperty("label");
  expectTypeOf<ChatResponse["steps"][number]["status"]>().toEqualTypeOf<"ok" | "needs_user_choice" | "needs_clarification" | "error">();
});

it("knows what may be asked", () => {
  expectTypeOf<Asking["agent"]>().toEqualTypeOf<"map" | "riskiagent" | null | undefined>();
  expectTypeOf<Asking>().not.toHaveProperty("userMessage");
  expectTypeOf<Client["stream"]>().parameter(0).toEqualTypeOf<string | { readonly id: string } | Known>();
  expectTypeOf<{ x: string; y: number }>().not.toExtend<Parameters<Server["identify"]>[0]>();
  expectTypeOf<"sideways">().not.toExtend<Parameters<Server["feedback"]>[1]>();
});

it("knows the data of an event by its name", () => {
  expectTypeOf<Extract<TurnEvent, { event: "answer.delta" }>["data"]["text"]>().toEqualTypeOf<string>();
  expectTypeOf<Extract<TurnEvent, { event: "turn.finished" }>["data"]["response"]>().toEqualTypeOf<ChatResponse>();
  expectTypeOf<Extract<TurnEvent, { event: "turn.finished" }>["data"]["round"]>().toEqualTypeOf<number | undefined>();
  expectTypeOf<Extract<TurnEvent, { event: "choice.made" }>["data"]>().not.toHaveProperty("answer");
});
