import { createContext } from "svelte";
import type { AppState } from "../session/app-state.svelte";

export const [useApp, provideApp] = createContext<AppState>();
