/** The chat in a page of somebody else's, with the map of that page. */

import { fieldsOf, listOf, newId, Server, textOf } from "@ask-sogis/client";
import { isOfHosts, isWeb, type MapAction, type MapAdapter, type Reason } from "@ask-sogis/map-actions";
import { readExamples } from "./chat/suggestions";
import { Copilot, deferred, type Told } from "./copilot.svelte";
import { download } from "./map/export";

interface Setting {
  /** Where the server is. */
  endpoint: string;
  language: string;
  root: ShadowRoot;
  /** What the page asks with; null when it has nothing. */
  token: () => string | null;
}

export class EmbeddedCopilot extends Copilot {
  override readonly hasCookie = false;
  heading = $state<string | null>(null);
  #adapter = $state.raw<MapAdapter | null>(null);
  readonly #endpoint: URL;
  readonly #token: () => string | null;
  /** A token of an anonymous visitor: the cookies of the server are not for the pages of others. */
  #visitor: Promise<string | null> | null = null;
  /** Null as long as it has not said anything. */
  #told: Promise<Told> | null = null;

  /** Throws a `TypeError` when the endpoint is no address. */
  constructor({ endpoint, language, root, token }: Setting) {
    const base = new URL(endpoint.endsWith("/") ? endpoint : `${endpoint}/`, document.baseURI);
    super(language, root, { endpoint: base.href });
    this.#endpoint = base;
    this.#token = token;
    void this.told.then(({ feedbackDays }) => (this.feedbackDays = feedbackDays));
  }

  get told(): Promise<Told> {
    return (this.#told ??= this.#ask());
  }

  get base(): string {
    return this.#endpoint.href;
  }

  get adapter(): MapAdapter | null {
    return this.#adapter;
  }

  /** What is on the map moves to the new one; the one before is as it was without it. */
  set adapter(adapter: MapAdapter | null) {
    if (adapter === this.#adapter) return;
    const before = this.#adapter;
    this.#adapter = adapter;
    this.map.free = null;
    // Who waits for a map takes the first that comes.
    if (before) this.camera = deferred();
    before?.end();
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

  /** Keeps a file of the server's: it opens what it has only for who it was made for. False when that has not worked. */
  async keep(path: string): Promise<boolean> {
    const response = await this.send(new URL(path.slice(1), this.#endpoint)).catch(() => null);
    if (!response?.ok) return false;
    const content = await response.blob();
    download(`${path.slice(path.lastIndexOf("/") + 1)}.${content.type.split("/")[1] ?? ""}`, content);
    return true;
  }

  protected override send(...request: Parameters<typeof fetch>): Promise<Response> {
    return this.#send(request, true);
  }

  async #send([address, init]: Parameters<typeof fetch>, isFirst: boolean): Promise<Response> {
    const given = this.#token();
    const visitor = given === null ? (this.#visitor ??= this.#introduced()) : null;
    const token = given ?? (await visitor);
    const headers = new Headers(init?.headers);
    if (token) headers.set("Authorization", `Bearer ${token}`);
    const response = await fetch(address, { ...init, headers });
    if (response.status !== 401 || !visitor || !isFirst) return response;
    // The visit is over. What belonged to it cannot be gone on with, but all else can.
    if (this.#visitor === visitor) this.#visitor = null;
    return this.#send([address, init], false);
  }

  /** Where visitors are somebody each, this one is the same from now on. */
  async #introduced(): Promise<string | null> {
    try {
      const { kind } = await new Server({ endpoint: this.#endpoint.href, patienceMs: 0 }).me();
      // On the server's own page a cookie has come with that.
      if (kind !== "anonymous" || this.#endpoint.origin === location.origin) return null;
      const response = await fetch(new URL("api/session", this.#endpoint), { method: "POST" });
      if (!response.ok) throw new Error(String(response.status));
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
    if (told === null) this.#told = null;
    const { examples, layerHosts, feedbackDays } = fieldsOf(told);
    return {
      examples: readExamples(examples),
      layerHosts: listOf(layerHosts).filter((host): host is string => typeof host === "string" && isWeb(host)),
      feedbackDays: typeof feedbackDays === "number" ? Math.max(0, feedbackDays) : 0,
    };
  }
}
