/** What the server takes and says, as its description has it (OpenAPI). */

import type { components } from "./api.js";

export type Schemas = components["schemas"];

export type ChatRequest = Schemas["ChatRequest"];
export type ChatResponse = Schemas["ChatResponse"];
export type Choice = Schemas["Choice"];
export type Identified = Schemas["Identified"];
export type Layer = Schemas["Layer"];
export type Me = Schemas["Me"];
export type Research = Schemas["Research"];
export type Share = Schemas["Share"];
export type SharedMap = Schemas["SharedMap"];
export type Source = Schemas["Source"];
export type Step = Schemas["Step"];
export type Suggestions = Schemas["Suggestions"];
export type ToolList = Schemas["ToolList"];
export type TurnProgress = Schemas["TurnProgress"];
