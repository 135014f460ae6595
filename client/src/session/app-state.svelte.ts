/** Everything of the page that lives as long as the page, wired together. */

import { Conversation } from "../chat/conversation.svelte";
import type { Exchange } from "../chat/turn";
import { ActionBus } from "../map/action-bus";
import { Refused } from "../map/actions";
import { loadConfig, type MapConfig } from "../map/config";
import { MapModel, type Camera, type Snapshot } from "../map/model.svelte";
import { Texts } from "../texts/texts.svelte";
import { Announcer } from "./announcer.svelte";
import { restore, restorePreferences, save, savePreferences, type Preferences } from "./storage";
import { fromFragment, toFragment } from "./share-link";

const CAMERA_WAIT_MS = 20_000;
const SAVE_PAUSE_MS = 300;

export class AppState {
  readonly texts: Texts;
  readonly announcer = new Announcer();
  readonly map: MapModel;
  readonly bus: ActionBus;
  readonly chat: Conversation;
  readonly config: Promise<MapConfig> = loadConfig();
  isOnline = $state(navigator.onLine);
  theme = $state<Preferences["theme"]>("auto");
  sessionId = $state<string>(newId());
  /** Set by the drawing when it is there. */
  readonly camera = deferred<Camera>();
  #wake = new Set<() => void>();
  #saving: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    const preferences = restorePreferences();
    this.texts = new Texts(preferences.language);
    this.theme = preferences.theme;
    this.map = new MapModel(() => within(this.camera.promise, CAMERA_WAIT_MS));
    this.bus = new ActionBus(this.map);
    this.chat = new Conversation({
      sessionId: () => this.sessionId,
      bus: this.bus,
      fetch: (...args) => fetch(...args),
      pause: (ms) => this.#pause(ms),
      newKey: newId,
      heard: (exchange) => this.#announce(exchange),
    });
    addEventListener("online", () => this.#setOnline(true));
    addEventListener("offline", () => this.#setOnline(false));
    addEventListener("pagehide", () => this.#saveNow());
    addEventListener("hashchange", () => void this.#takeLink());
  }

  /** What this tab had before it was reloaded, and what a link brings along. */
  async begin(): Promise<void> {
    const saved = restore();
    if (saved) {
      this.sessionId = saved.sessionId;
      this.#show(saved.map);
      this.chat.restore(saved.exchanges);
    }
    await this.#takeLink();
  }

  async newSession(): Promise<void> {
    const ended = this.chat.end();
    this.sessionId = newId();
    this.map.candidates = [];
    await Promise.all([ended, this.bus.apply([{ type: "clearMap", payload: {} }])]);
    this.announcer.say(this.texts.t("session.begun"));
  }

  shareLink(): string {
    return location.origin + location.pathname + toFragment(this.map.snapshot());
  }

  setTheme(theme: Preferences["theme"]): void {
    this.theme = theme;
    this.#savePreferences();
  }

  setLanguage(language: string): void {
    void this.texts.use(language);
    this.#savePreferences(language);
  }

  /** To be called whenever something changed that a reload should keep. */
  saveSoon(): void {
    clearTimeout(this.#saving);
    this.#saving = setTimeout(() => this.#saveNow(), SAVE_PAUSE_MS);
  }

  #saveNow(): void {
    clearTimeout(this.#saving);
    save({ sessionId: this.sessionId, exchanges: this.chat.exchanges, map: this.map.snapshot() });
  }

  #savePreferences(language: string = this.texts.language): void {
    savePreferences({ language, theme: this.theme });
  }

  #show(snapshot: Snapshot): void {
    this.map.restore(snapshot);
    if (!snapshot.viewpoint) return;
    this.map.viewpoint = snapshot.viewpoint;
    const viewpoint = snapshot.viewpoint;
    void this.camera.promise.then((camera) => camera.jump(viewpoint));
  }

  async #takeLink(): Promise<void> {
    if (!location.hash) return;
    const shared = fromFragment(location.hash, (await this.config).layerHosts);
    if (!shared) return;
    this.#show(shared);
    history.replaceState(null, "", location.pathname + location.search);
  }

  #announce(exchange: Exchange): void {
    const { t } = this.texts;
    if (exchange.state === "running") return;
    if (exchange.state === "failed") return this.announcer.say(t("status.failed"));
    const said = exchange.steps.map((step) => step.message.slice(0, 300)).join(" ");
    const choices = exchange.steps.flatMap((step) => (step.phase === "choosing" ? step.choices : []));
    this.announcer.say(choices.length > 0 ? `${said} ${t("choices.announced", { count: choices.length })}` : said);
  }

  #setOnline(isOnline: boolean): void {
    this.isOnline = isOnline;
    if (isOnline) for (const wake of this.#wake) wake();
  }

  /** Shorter when the connection comes back; as long as it is away, nothing is tried. */
  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        this.#wake.delete(wake);
        resolve();
      };
      const timer = setTimeout(() => (this.isOnline ? wake() : undefined), ms);
      this.#wake.add(wake);
    });
  }
}

function newId(): string {
  // `crypto.randomUUID` is missing on pages without https.
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function within<T>(promise: Promise<T>, ms: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Refused("map_unavailable")), ms);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

function deferred<T>(): { promise: Promise<T>; resolve(value: T): void } {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((done) => (resolve = done));
  return { promise, resolve };
}
