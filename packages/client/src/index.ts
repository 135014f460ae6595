/** Everything of the package. */

export { Client, type Asking, type Documented, type Known } from "./client.js";
export type * from "./contract.js";
export type { TurnEvent } from "./events.js";
export { fieldsOf, isFields, listOf, textOf, type Fields, type FieldsOf } from "./fields.js";
export type { News, Opening } from "./follow.js";
export { newId } from "./new-id.js";
export type { Pause } from "./patience.js";
export { goesOn, needsSignIn, problemBehind, Refused, Unreachable, type Problem } from "./problems.js";
export { Server, type Leaving, type Settings } from "./server.js";
