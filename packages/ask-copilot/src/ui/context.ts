import { createContext } from "svelte";
import type { Copilot } from "../copilot.svelte";

export const [useCopilot, provideCopilot] = createContext<Copilot>();
