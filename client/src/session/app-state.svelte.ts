/** Everything of the page that lives as long as the page, wired together. */

import { Server, needsSignIn, newId, problemBehind } from "@ask-sogis/client";
import { Conversation } from "../chat/conversation.svelte";
import { newsOf } from "../chat/narration";
import { Suggesting } from "../chat/suggesting.svelte";
import { ActionBus } from "../map/action-bus";
import { Refused } from "../map/checks";
import { loadConfig, type MapConfig } from "../map/config";
import { Inquiry } from "../map/inquiry.svelte";
import { isOfHosts } from "../map/links";
import { MapModel, type Camera, type Snapshot } from "../map/model.svelte";
import { preferred, Texts } from "../texts/texts.svelte";
import { Announcer } from "./announcer.svelte";
import { Identity } from "./identity.svelte";
import { Links } from "./links.svelte";
import { restore, restorePreferences, save, savePreferences, type Preferences } from "./storage";
import { accountShelf, deviceShelf, keptOf, type Kept, type Shelf, type Spine } from "./shelf";
import { claim } from "./session-claim";

const CAMERA_WAIT_MS = 20_000;
const SAVE_PAUSE_MS = 300;
/** With an account, conversations go to the server: when they rest. */
const KEEP_PAUSE_MS = 1_500;

export class AppState {
  readonly texts: Texts;
  readonly announcer = new Announcer();
  readonly map: MapModel;
  readonly bus: ActionBus;
  readonly chat: Conversation;
  /** About the place that is marked. */
  readonly inquiry: Inquiry;
  /** For the message that is being typed. */
  readonly suggesting: Suggesting;
  readonly links: Links;
  readonly config: Promise<MapConfig> = loadConfig();
  readonly identity = new Identity(new Server({ patienceMs: 0 }));
  /** How long feedback is kept; 0 where nobody is asked for it. */
  feedbackDays = $state(0);
  isOnline = $state(navigator.onLine);
  theme = $state<Preferences["theme"]>("auto");
  sessionId = $state<string>(newId());
  /** The message that is being typed. */
  draft = $state("");
  /** The other conversations, the latest first; null when they cannot be read. */
  earlier = $state.raw<readonly Spine[] | null>([]);
  /** The conversation that was left for a new one, as long as nothing was said in that. */
  left = $state.raw<Kept | null>(null);
  /** Set by the drawing when it is there. */
  readonly camera = deferred<Camera>();
  #wake = new Set<() => void>();
  #saving: ReturnType<typeof setTimeout> | undefined;
  #keeping: ReturnType<typeof setTimeout> | undefined;
  readonly #server: Server;
  readonly #device = deviceShelf();
  readonly #account: Shelf;
  /** What was kept of this conversation last. */
  #kept: Kept["exchanges"] = [];

  constructor() {
    const preferences = restorePreferences();
    this.texts = new Texts(preferences.language ?? preferred(navigator.languages));
    this.theme = preferences.theme;
    this.map = new MapModel(() => within(this.camera.promise, CAMERA_WAIT_MS));
    this.bus = new ActionBus(this.map, (url) => this.mayLoad(url));
    void this.config.then(({ feedbackDays }) => (this.feedbackDays = feedbackDays));
    const server = new Server({
      // That of the page, not that of the browser.
      language: () => this.texts.language,
      // Who looks at a page tries again themselves.
      patienceMs: 0,
      pause: (ms) => this.#pause(ms),
      fetch: async (...args) => {
        // Two requests without a cookie would be two visitors.
        await this.identity.known;
        return fetch(...args);
      },
    });
    this.#server = server;
    this.#account = accountShelf(server);
    this.inquiry = new Inquiry(server);
    this.suggesting = new Suggesting(server);
    this.links = new Links({
      map: this.map,
      config: this.config,
      texts: this.texts,
      server,
      show: (snapshot) => this.#show(snapshot),
      say: (message) => this.announcer.say(message),
    });
    this.chat = new Conversation({
      sessionId: () => this.sessionId,
      map: () => this.map.context,
      silent: () => this.map.listed.filter((layer) => this.map.isSilent(layer)).map(({ id }) => id),
      bus: this.bus,
      language: () => this.texts.language,
      server,
      newKey: newId,
      heard: (before, after) => {
        if (needsSignIn(after.problem)) this.identity.refused();
        this.left = null;
        this.announcer.tell(newsOf(before, after, this.texts), after.language);
      },
    });
    addEventListener("online", () => this.#setOnline(true));
    addEventListener("offline", () => this.#setOnline(false));
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "visible" && this.identity.isPersonal) void this.#lookAgain();
    });
    addEventListener("pagehide", () => this.#saveNow());
    addEventListener("hashchange", () => void this.links.take());
  }

  /** What this tab had before it was reloaded, and what a link brings along. */
  async begin(): Promise<void> {
    const saved = restore();
    if (saved) {
      this.sessionId = saved.sessionId;
      this.#show({ ...saved.map, features: saved.map.features ?? [] });
      this.draft = saved.draft;
      const { exchanges, lost } = await this.#completed(saved.sessionId, saved.exchanges, saved.count ?? 0);
      this.#kept = exchanges;
      this.chat.restore(exchanges, saved.unsent, lost);
    }
    await Promise.all([this.links.begin(saved !== null), this.#claim(), this.identity.known]);
    if (saved) this.#goOn(saved.who ?? null);
    void this.listEarlier();
  }

  /** Leaves the conversation for a new one; it stays among the earlier ones. */
  async newSession(): Promise<void> {
    const left = await this.#leave();
    this.sessionId = newId();
    void claim(this.sessionId);
    await this.bus.apply([{ type: "clearMap", payload: {} }]);
    this.left = left;
    this.announcer.say(this.texts.t("session.begun"));
    void this.listEarlier();
  }

  /** Goes back to a conversation, and to its map. Says whether it was still there. */
  async open(id: string): Promise<boolean> {
    const kept = this.left?.id === id ? this.left : await this.#shelf.take(id).catch(() => null);
    if (!kept) return false;
    if (id !== this.sessionId) await this.#leave();
    this.sessionId = kept.id;
    this.#kept = kept.exchanges;
    this.left = null;
    this.#show({ ...kept.map, features: kept.map.features ?? [] });
    this.chat.restore(kept.exchanges, [], kept.lost);
    await this.#claim();
    this.announcer.say(this.texts.t("earlier.opened", { title: kept.title }));
    return true;
  }

  /** Deletes a conversation, here and on the server. Says whether that has worked. */
  async forget(id: string): Promise<boolean> {
    try {
      await this.#shelf.remove(id);
      await this.#server.deleteSession(id);
    } catch (error) {
      if (problemBehind(error).status !== 404) return false;
    } finally {
      await this.listEarlier();
    }
    if (this.left?.id === id) this.left = null;
    this.announcer.say(this.texts.t("earlier.deleted"));
    return true;
  }

  async listEarlier(): Promise<void> {
    const all = await this.#shelf.list().catch(() => null);
    this.earlier = all && all.filter(({ id }) => id !== this.sessionId);
  }

  /** Takes back the last change of the map. */
  async undo(): Promise<void> {
    const [result] = await this.bus.apply([{ type: "undo" }]);
    this.announcer.say(this.texts.t(result?.status === "applied" ? "map.undone" : "map.nothingToUndo"));
  }

  /** Whether the page may load pictures from an address. */
  async mayLoad(url: string): Promise<boolean> {
    return isOfHosts(url, [location.origin, ...(await this.config).layerHosts]);
  }

  signIn(): void {
    this.#saveNow();
    const address = this.identity.signInAddress(location);
    if (!address) return;
    this.links.beforeSignIn();
    location.assign(address);
  }

  /** What was said is not for whoever sits here next. False when the server could not be reached. */
  async signOut(): Promise<boolean> {
    const next = await this.identity.signOut(location);
    if (next === null) return false;
    clearTimeout(this.#keeping);
    this.chat.leave();
    this.left = null;
    this.earlier = [];
    this.sessionId = newId();
    this.draft = "";
    await this.bus.apply([{ type: "clearMap", payload: {} }]);
    this.#saveNow();
    this.links.leave();
    location.assign(next);
    return true;
  }

  /** Lets what waits for its next try have it at once. */
  tryNow(): void {
    for (const wake of this.#wake) wake();
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
    if (this.chat.exchanges === this.#kept) return;
    // Not put off by what comes meanwhile: it would never be kept.
    this.#keeping ??= setTimeout(() => void this.#keep(), KEEP_PAUSE_MS);
  }

  #saveNow(): void {
    clearTimeout(this.#saving);
    const { sessionId, draft } = this;
    const who = this.identity.mark;
    const { exchanges } = this.chat;
    const count = this.chat.lost + exchanges.length;
    save({ sessionId, draft, who, exchanges, count, unsent: this.chat.unsent, map: this.map.snapshot() });
  }

  get #shelf(): Shelf {
    return this.identity.isUser ? this.#account : this.#device;
  }

  /** Puts the conversation among the earlier ones; null when nothing was said in it, or it could not be kept. */
  async #keep(): Promise<Kept | null> {
    clearTimeout(this.#keeping);
    this.#keeping = undefined;
    const { exchanges, lost } = this.chat;
    if (exchanges.length === 0 || this.identity.isNobody) return null;
    const kept = keptOf(this.sessionId, exchanges, lost, this.map.snapshot(), Date.now());
    this.#kept = exchanges;
    await this.#shelf.put(kept).catch(() => undefined);
    return kept;
  }

  async #leave(): Promise<Kept | null> {
    const kept = await this.#keep();
    this.chat.leave();
    this.#kept = this.chat.exchanges;
    this.map.candidates = [];
    return kept;
  }

  /** The latest exchanges of a conversation with those before them, and how many are missing still. */
  async #completed(id: string, latest: Kept["exchanges"], count: number): Promise<Pick<Kept, "exchanges" | "lost">> {
    await this.identity.known;
    const kept = count > latest.length ? await this.#shelf.take(id).catch(() => null) : null;
    const known = new Set(latest.map(({ key }) => key));
    const before = (kept?.exchanges ?? []).filter(({ key }) => !known.has(key));
    const exchanges = [...before, ...latest];
    return { exchanges, lost: Math.max(0, count - exchanges.length) };
  }

  #savePreferences(language: string = this.texts.language): void {
    savePreferences({ language, theme: this.theme });
  }

  /** Who comes back to this tab may have become somebody else. */
  async #lookAgain(): Promise<void> {
    const who = this.identity.mark;
    await this.identity.look();
    this.#goOn(who);
  }

  /** With what was asked before one signed in; what another user has begun is not this one's to go on with. */
  #goOn(who: string | null): void {
    if (this.identity.isNobody) return;
    if (who !== null && this.identity.mark !== null && who !== this.identity.mark) this.chat.closeChoices();
    const last = this.chat.exchanges.at(-1);
    if (last?.state === "failed" && needsSignIn(last.problem)) this.chat.retry(last.key);
  }

  #show(snapshot: Snapshot): void {
    this.map.restore(snapshot);
    if (!snapshot.viewpoint) return;
    this.map.viewpoint = snapshot.viewpoint;
    const viewpoint = snapshot.viewpoint;
    void this.camera.promise.then((camera) => camera.jump(viewpoint));
  }

  /** A copy of this tab shows the same conversation, but goes on in a session of its own. */
  async #claim(): Promise<void> {
    if (await claim(this.sessionId)) return;
    this.sessionId = newId();
    this.chat.closeChoices();
    void claim(this.sessionId);
  }

  #setOnline(isOnline: boolean): void {
    this.isOnline = isOnline;
    if (isOnline) this.tryNow();
    else this.announcer.say(this.texts.t("status.offline"));
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
