import type { Schemas } from "@ask-sogis/client";
import type { Background, MapAction, MapContext, MapResult } from "@ask-sogis/map-actions";
import { describe, expectTypeOf, it } from "vitest";

type Told = NonNullable<Schemas["Step"]["mapActions"]>[number];
type PayloadOf<A, T> = Extract<A, { type: T }> extends { payload?: infer P } ? NonNullable<P> : never;
/** What is read of payloads and is not in the contract. */
type Invented = { [T in MapAction["type"]]: Exclude<keyof PayloadOf<MapAction, T>, keyof PayloadOf<Told, T>> }[MapAction["type"]];

// The package with the actions knows no server: here it is held against what the server says. `npm run check` compares.
describe("the actions on a map", () => {
  it("are those of the server, with its names", () => {
    expectTypeOf<MapAction["type"]>().toEqualTypeOf<Told["type"]>();
    expectTypeOf<Background>().toEqualTypeOf<Schemas["Background"]>();
    expectTypeOf<Invented>().toBeNever();
  });

  it("are told as the server takes it", () => {
    expectTypeOf<MapContext>().toExtend<Schemas["MapContext"]>();
    expectTypeOf<MapResult>().toExtend<Schemas["MapResult"]>();
  });
});
