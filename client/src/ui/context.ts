import { createContext } from "svelte";
import { provideCopilot } from "@ask-sogis/copilot/ui/context";
import type { AppState } from "../session/app-state.svelte";

const [useApp, setApp] = createContext<AppState>();

export { useApp };

/** To the parts of the page, and to those of the chat, which know of no page. */
export function provideApp(app: AppState): void {
  setApp(app);
  provideCopilot(app);
}
