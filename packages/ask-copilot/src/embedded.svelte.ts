/** The chat in a page of somebody else's, with the map of that page. */

import { fieldsOf, listOf, newId, Server, textOf } from "@ask-sogis/client";
import { isOfHosts, isWeb, type MapAction, type MapAdapter, type Reason } from "@ask-sogis/map-actions";
import { readExamples } from "./chat/suggestions";
import { Copilot, deferred, type Told } from "./copilot.svelte";

interface Setting {
  /** Where the server is. */
  endpoint: string;
  language: string;
  root: ShadowRoot;
  /** What the page asks with; null when it has nothing. */
  token: () => string | null;
}

export class EmbeddedCopilot extends Copilot {
  readonly told: Promise<Told>;
  heading = $state<string | null>(null);
  #adapter = $state.raw<MapAdapter | null>(null);
  readonly #endpoint: URL;
  readonly #token: () => string | null;
  /** A token of an anonymous visitor: the cookies of the server are not for the pages of others. */
  #visitor: Promise<string | null> | null = null;

  /** Throws a `TypeError` when the endpoint is no address. */
  constructor({ endpoint, language, root, token }: Setting) {
    const base = new URL(endpoint.endsWith("/") ? endpoint : `${endpoint}/`, document.baseURI);
    super(language, root, { endpoint: base.href });
    this.#endpoint = base;
    this.#token = token;
    this.told = this.#ask();
    void this.told.then(({ feedbackDays }) => (this.feedbackDays = feedbackDays));
  }

  get adapter(): MapAdapter | null {
    return this.#adapter;
  }

  /** What is on the map moves to the new one; the one before is as it was without it. */
  set adapter(adapter: MapAdapter | null) {
    if (adapter === this.#adapter) return;
    this.#adapter?.end();
    this.#adapter = adapter;
    this.map.free = null;
    this.camera = deferred();
    if (!adapter) return;
    this.map.restore({ ...this.map.snapshot(), background: adapter.background });
    this.camera.resolve(adapter.camera);
  }

  async mayLoad(url: string): Promise<boolean> {
    return isOfHosts(url, [location.origin, this.#endpoint.origin, ...(await this.told).layerHosts]);
  }

  /** Leaves the conversation for a new one. */
  async begin(): Promise<void> {
    this.chat.leave();
    this.map.candidates = [];
    this.sessionId = newId();
    await this.bus.apply([{ type: "clearMap", payload: {} }]);
    this.announcer.say(this.texts.t("session.begun"));
  }

  override end(): void {
    super.end();
    this.adapter = null;
  }

  protected override refusal(action: MapAction): Reason | null {
    return this.adapter?.refusal(action) ?? null;
  }

  protected override async send(...[address, init]: Parameters<typeof fetch>): Promise<Response> {
    const token = this.#token() ?? (await (this.#visitor ??= this.#introduced()));
    const headers = new Headers(init?.headers);
    if (token) headers.set("Authorization", `Bearer ${token}`);
    return fetch(address, { ...init, headers });
  }

  /** Where visitors are somebody each, this one is the same from now on. */
  async #introduced(): Promise<string | null> {
    if (this.#endpoint.origin === location.origin) return null;
    try {
      const { kind } = await new Server({ endpoint: this.#endpoint.href, patienceMs: 0 }).me();
      if (kind !== "anonymous") return null;
      const response = await fetch(new URL("api/session", this.#endpoint), { method: "POST" });
      return textOf(fieldsOf(await response.json())["token"]) || null;
    } catch {
      // The question itself will say what is wrong; the next one tries again.
      this.#visitor = null;
      return null;
    }
  }

  async #ask(): Promise<Told> {
    const response = await fetch(new URL("config.json", this.#endpoint)).catch(() => null);
    const told: unknown = response?.ok ? await response.json().catch(() => null) : null;
    const { examples, layerHosts, feedbackDays } = fieldsOf(told);
    return {
      examples: readExamples(examples),
      layerHosts: listOf(layerHosts).filter((host): host is string => typeof host === "string" && isWeb(host)),
      feedbackDays: typeof feedbackDays === "number" ? Math.max(0, feedbackDays) : 0,
    };
  }
}
