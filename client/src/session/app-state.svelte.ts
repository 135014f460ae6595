/** Everything of the page that lives as long as the page, wired together. */

import { needsSignIn, newId, problemBehind, Server } from "@ask-sogis/client";
import type { Exchange } from "@ask-sogis/copilot/chat/turn";
import { Copilot } from "@ask-sogis/copilot/copilot.svelte";
import type { Snapshot } from "@ask-sogis/copilot/map/model.svelte";
import { preferred } from "@ask-sogis/copilot/texts/texts.svelte";
import { isOfHosts } from "@ask-sogis/map-actions";
import { loadConfig, type MapConfig } from "../map/config";
import { Inquiry } from "../map/inquiry.svelte";
import { Identity } from "./identity.svelte";
import { Links } from "./links.svelte";
import { claim } from "./session-claim";
import { accountShelf, deviceShelf, keptOf, preceded, type Kept, type Shelf, type Spine } from "./shelf";
import { restore, restorePreferences, save, savePreferences, type Preferences } from "./storage";

const SAVE_PAUSE_MS = 300;
/** With an account, conversations go to the server: when they rest. */
const KEEP_PAUSE_MS = 1_500;

export class AppState extends Copilot {
  /** About the place that is marked. */
  readonly inquiry: Inquiry;
  readonly links: Links;
  readonly config: Promise<MapConfig> = loadConfig();
  readonly identity = new Identity(new Server({ patienceMs: 0 }));
  theme = $state<Preferences["theme"]>("auto");
  /** The other conversations, the latest first; null when they cannot be read. */
  earlier = $state.raw<readonly Spine[] | null>([]);
  /** The conversation that was left for a new one, as long as nothing was said in that. */
  left = $state.raw<Kept | null>(null);
  #saving: ReturnType<typeof setTimeout> | undefined;
  #keeping: ReturnType<typeof setTimeout> | undefined;
  readonly #device = deviceShelf();
  readonly #account: Shelf;
  /** What was kept of this conversation last. */
  #kept: Kept["exchanges"] = [];
  /** What was put among the earlier ones last, when it is there. Never rejects. */
  #putting: Promise<Kept | null> = Promise.resolve(null);
  /** False as long as exchanges of this conversation are only among the earlier ones. */
  #isWhole = true;
  /** Counts the wishes for another conversation: what comes for an older one is not shown any more. */
  #wanted = 0;
  /** Whose conversation it was before it was reloaded. */
  #who: string | null = null;

  constructor() {
    const preferences = restorePreferences();
    super(preferences.language ?? preferred(navigator.languages), document);
    this.theme = preferences.theme;
    void this.config.then(({ feedbackDays }) => (this.feedbackDays = feedbackDays));
    this.#account = accountShelf(this.server);
    this.inquiry = new Inquiry(this.server);
    this.links = new Links({
      map: this.map,
      config: this.config,
      texts: this.texts,
      server: this.server,
      show: (snapshot) => this.#show(snapshot),
      say: (message) => this.announcer.say(message),
    });
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "visible" && this.identity.isPersonal) void this.#lookAgain();
    });
    addEventListener("pagehide", () => this.#saveNow());
    addEventListener("hashchange", () => void this.links.take());
  }

  get base(): string {
    return location.href;
  }

  get told(): Promise<MapConfig> {
    return this.config;
  }

  /** What this tab had before it was reloaded, and what a link brings along. */
  async begin(): Promise<void> {
    const saved = restore();
    if (saved) {
      this.sessionId = saved.sessionId;
      this.#show({ ...saved.map, features: saved.map.features ?? [] });
      this.draft = saved.draft;
      // At once: what is said meanwhile comes after it, and who reloads once more finds it again.
      this.chat.restore(saved.exchanges, saved.unsent, Math.max(0, (saved.count ?? 0) - saved.exchanges.length));
      this.#isWhole = this.chat.lost === 0;
      this.#who = saved.who ?? null;
    }
    await Promise.all([this.links.begin(saved !== null), this.#claim(), this.identity.known]);
    if (saved) {
      await this.#complete(saved.sessionId);
      this.#goOn(this.#who);
    }
    void this.listEarlier();
  }

  /** Leaves the conversation for a new one; it stays among the earlier ones. */
  async newSession(): Promise<void> {
    this.#wanted++;
    const leaving = this.#leave();
    const id = newId();
    this.sessionId = id;
    void claim(id);
    await this.bus.apply([{ type: "clearMap", payload: {} }]);
    this.announcer.say(this.texts.t("session.begun"));
    void leaving.then((left) => {
      // Something may have been said meanwhile.
      if (this.sessionId === id && this.chat.exchanges.length === 0) this.left = left;
      void this.listEarlier();
    });
  }

  /** Goes back to a conversation, and to its map. Says whether it was still there; null when another one was wanted meanwhile. */
  async open(id: string): Promise<boolean | null> {
    const wanted = ++this.#wanted;
    const kept = this.left?.id === id ? this.left : await this.#shelf.take(id).catch(() => null);
    if (wanted !== this.#wanted) return null;
    if (!kept) return false;
    if (id !== this.sessionId) void this.#leave();
    this.sessionId = kept.id;
    this.#kept = kept.exchanges;
    this.left = null;
    this.#show({ ...kept.map, features: kept.map.features ?? [] });
    this.chat.restore(kept.exchanges, [], kept.lost);
    void this.#claim();
    this.announcer.say(this.texts.t("earlier.opened", { title: kept.title }));
    return true;
  }

  /** Deletes a conversation, here and on the server. Says whether that has worked. */
  async forget(id: string): Promise<boolean> {
    try {
      await this.#putting;
      await this.#shelf.remove(id);
      await this.server.deleteSession(id);
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
    await this.#putting;
    const all = await this.#shelf.list().catch(() => null);
    this.earlier = all && all.filter(({ id }) => id !== this.sessionId);
  }

  override async mayLoad(url: string): Promise<boolean> {
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
    this.#isWhole = true;
    clearTimeout(this.#keeping);
    this.#wanted++;
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

  protected override async send(...request: Parameters<typeof fetch>): Promise<Response> {
    // Two requests without a cookie would be two visitors.
    await this.identity.known;
    return fetch(...request);
  }

  protected override heard(before: Exchange | null, after: Exchange): void {
    if (needsSignIn(after.problem)) this.identity.refused();
    this.left = null;
    super.heard(before, after);
  }

  #saveNow(): void {
    clearTimeout(this.#saving);
    const { sessionId, draft } = this;
    const who = this.identity.mark ?? this.#who;
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
    const isWhole = this.#isWhole;
    // One after the other, the latest is what stays; and where, depends on who this is.
    const put = Promise.all([this.#putting, this.identity.known]).then(async () => {
      if (this.identity.isNobody) return null;
      const all = isWhole ? kept : preceded(kept, await this.#shelf.take(kept.id));
      await this.#shelf.put(all);
      return all;
    });
    this.#putting = put.catch(() => kept);
    return this.#putting;
  }

  /** At once: what is said from now on is of another one. What was kept of this one comes when it is kept. */
  #leave(): Promise<Kept | null> {
    const keeping = this.#keep();
    this.#isWhole = true;
    this.chat.leave();
    this.#kept = this.chat.exchanges;
    this.map.candidates = [];
    return keeping;
  }

  /** Brings the exchanges of a conversation that are not among its latest, unless it was left meanwhile. */
  async #complete(id: string): Promise<void> {
    const kept = this.#isWhole ? null : await this.#shelf.take(id).catch(() => null);
    if (this.#isWhole) return;
    this.#isWhole = true;
    if (kept) this.chat.precede(kept.exchanges);
    if (id !== this.sessionId) this.chat.closeChoices();
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
    const id = this.sessionId;
    if ((await claim(id)) || id !== this.sessionId) return;
    this.sessionId = newId();
    this.chat.closeChoices();
    void claim(this.sessionId);
  }
}
