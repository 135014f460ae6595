/** `<ask-copilot endpoint="https://ask.example.org">`: the chat, for a page that has a map already. */

import type { MapAdapter } from "@ask-sogis/map-actions";
import { mount, unmount } from "svelte";
import { EmbeddedCopilot } from "./embedded.svelte";
import { preferred } from "./texts/texts.svelte";
import Panel from "./ui/Panel.svelte";

/** Filled in when this is built: a style sheet of its own needs no hole in the policy of a page. */
declare const __STYLES__: string;

/**
 * Attributes: `endpoint` (where the server is), `language` (`de`, `fr`, `it`, `en`; otherwise that of the browser), `heading`, and
 * `theme` (`light`, `dark`; otherwise that of the browser). It fills its box. Its conversation ends when it leaves the page.
 */
export class AskCopilot extends HTMLElement {
  static readonly observedAttributes = ["endpoint", "language", "heading"];

  /** A key, or a token of the provider; null where none is needed. It is asked for anew with each request. */
  token: string | null = null;
  #map: MapAdapter | null = null;
  #copilot: EmbeddedCopilot | null = null;
  #panel: object | null = null;

  /** The map that the answers are shown on: an adapter of `@ask-sogis/map-actions`. */
  get map(): MapAdapter | null {
    return this.#map;
  }

  set map(map: MapAdapter | null) {
    this.#map = map;
    if (this.#copilot) this.#copilot.adapter = map;
  }

  /** Sends a message as if its user had written it. Nothing happens while an answer is on its way. */
  ask(message: string): void {
    this.#copilot?.chat.ask(message);
  }

  /** Takes back the last change of the map. */
  async undo(): Promise<void> {
    await this.#copilot?.undo();
  }

  connectedCallback(): void {
    if (!this.#copilot) this.#begin();
  }

  disconnectedCallback(): void {
    // Who moves it takes it out for a moment.
    queueMicrotask(() => {
      if (!this.isConnected) this.#end();
    });
  }

  attributeChangedCallback(name: string, before: string | null, now: string | null): void {
    if (!this.#copilot || before === now) return;
    if (name === "language") void this.#copilot.texts.use(this.#language);
    else if (name === "heading") this.#copilot.heading = now;
    else {
      this.#end();
      this.#begin();
    }
  }

  get #language(): string {
    return this.getAttribute("language") ?? preferred(navigator.languages);
  }

  #begin(): void {
    const root = this.shadowRoot ?? this.attachShadow({ mode: "open" });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(__STYLES__);
    root.adoptedStyleSheets = [sheet];
    const endpoint = this.getAttribute("endpoint") ?? "";
    this.#copilot = new EmbeddedCopilot({ endpoint, language: this.#language, root, token: () => this.token });
    this.#copilot.heading = this.getAttribute("heading");
    this.#copilot.adapter = this.#map;
    this.#panel = mount(Panel, { target: root, props: { copilot: this.#copilot } });
  }

  #end(): void {
    if (this.#panel) void unmount(this.#panel);
    this.#copilot?.end();
    this.#panel = this.#copilot = null;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    "ask-copilot": AskCopilot;
  }
}

customElements.define("ask-copilot", AskCopilot);
