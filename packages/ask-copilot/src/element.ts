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

  /** A key, or a token of the provider; null where none is needed. It is read anew for each request. */
  declare token: string | null;
  #map: MapAdapter | null = null;
  #copilot: EmbeddedCopilot | null = null;
  #panel: object | null = null;

  constructor() {
    super();
    // What the page has said before this was loaded.
    this.token = Object.hasOwn(this, "token") ? this.token : null;
    if (!Object.hasOwn(this, "map")) return;
    this.#map = this.map;
    delete (this as { map?: unknown }).map;
  }

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
    // What it has at first is read when it begins.
    if (before === now || !this.shadowRoot || !this.isConnected) return;
    if (name === "endpoint" || !this.#copilot) {
      this.#end();
      this.#begin();
    } else if (name === "language") void this.#copilot.texts.use(this.#language);
    else this.#copilot.heading = now;
  }

  get #language(): string {
    return preferred([this.getAttribute("language") ?? "", ...navigator.languages]);
  }

  #begin(): void {
    const root = this.shadowRoot ?? this.attachShadow({ mode: "open" });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(__STYLES__);
    root.adoptedStyleSheets = [sheet];
    const endpoint = this.getAttribute("endpoint");
    if (!endpoint || !URL.canParse(endpoint, document.baseURI)) {
      console.error(`<ask-copilot>: endpoint="${endpoint ?? ""}" is not where a server is.`);
      return;
    }
    this.#copilot = new EmbeddedCopilot({ endpoint, language: this.#language, root, token: () => this.token });
    this.#copilot.heading = this.getAttribute("heading");
    this.#copilot.adapter = this.#map;
    this.#panel = mount(Panel, { target: root, props: { copilot: this.#copilot } });
  }

  #end(): void {
    const [panel, copilot] = [this.#panel, this.#copilot];
    this.#panel = this.#copilot = null;
    if (panel) void unmount(panel);
    copilot?.end();
  }
}

declare global {
  interface HTMLElementTagNameMap {
    "ask-copilot": AskCopilot;
  }
}

// A page may load this twice.
if (!customElements.get("ask-copilot")) customElements.define("ask-copilot", AskCopilot);
