/** A chat beside a map, wired together: what the page of the server and the element for other pages have in common. */

import { newId, Server, type Settings } from "@ask-sogis/client";
import { ActionBus, Refused, type Camera, type MapAction, type Reason } from "@ask-sogis/map-actions";
import { Announcer } from "./announcer.svelte";
import { Conversation } from "./chat/conversation.svelte";
import { newsOf } from "./chat/narration";
import { Suggesting } from "./chat/suggesting.svelte";
import type { Examples } from "./chat/suggestions";
import type { Exchange } from "./chat/turn";
import { MapModel } from "./map/model.svelte";
import { Texts } from "./texts/texts.svelte";
import { Focus } from "./ui/focus";

const CAMERA_WAIT_MS = 20_000;

/** What the server tells whoever shows the chat (`config.json`). */
export interface Told {
  examples: Examples;
  /** How long feedback is kept; 0 where nobody is asked for it. */
  feedbackDays: number;
  /** Origins that layers may come from. */
  layerHosts: readonly string[];
}

export abstract class Copilot {
  readonly texts: Texts;
  readonly announcer = new Announcer();
  readonly map: MapModel;
  readonly bus: ActionBus;
  readonly chat: Conversation;
  /** For the message that is being typed. */
  readonly suggesting: Suggesting;
  readonly server: Server;
  readonly focus: Focus;
  /** Set by the drawing when it is there. */
  camera = deferred<Camera>();
  feedbackDays = $state(0);
  isOnline = $state(navigator.onLine);
  sessionId = $state<string>(newId());
  /** The message that is being typed. */
  draft = $state("");
  #wake = new Set<() => void>();

  /** `root` is what its elements are in. */
  constructor(language: string, root: Document | ShadowRoot, settings: Pick<Settings, "endpoint"> = {}) {
    this.focus = new Focus(root);
    this.texts = new Texts(language);
    this.map = new MapModel(() => within(this.camera.promise, CAMERA_WAIT_MS));
    this.bus = new ActionBus(this.map, { mayLoad: (url) => this.mayLoad(url), refusal: (action) => this.refusal(action) });
    this.server = new Server({
      ...settings,
      // That of the page, not that of the browser.
      language: () => this.texts.language,
      // Who looks at a page tries again themselves.
      patienceMs: 0,
      pause: (ms) => this.#pause(ms),
      fetch: (...args) => this.send(...args),
    });
    this.suggesting = new Suggesting(this.server);
    this.chat = new Conversation({
      sessionId: () => this.sessionId,
      map: () => this.map.context,
      silent: () => this.map.listed.filter((layer) => this.map.isSilent(layer)).map(({ id }) => id),
      bus: this.bus,
      language: () => this.texts.language,
      server: this.server,
      newKey: newId,
      heard: (before, after) => this.heard(before, after),
    });
    addEventListener("online", this.#online);
    addEventListener("offline", this.#online);
  }

  abstract readonly told: Promise<Told>;

  /** What paths of the server are relative to, as in texts that are copied. */
  abstract readonly base: string;

  /** Whether the browser says by itself who asks: what the server keeps for its user can be linked then. */
  readonly hasCookie: boolean = true;

  /** Whether layers and pictures may come from an address. */
  abstract mayLoad(url: string): Promise<boolean>;

  /** Takes back the last change of the map. */
  async undo(): Promise<void> {
    const [result] = await this.bus.apply([{ type: "undo" }]);
    this.announcer.say(this.texts.t(result?.status === "applied" ? "map.undone" : "map.nothingToUndo"));
  }

  /** Lets what waits for its next try have it at once. */
  tryNow(): void {
    for (const wake of this.#wake) wake();
  }

  /** Nothing is asked or said any more. */
  end(): void {
    this.chat.leave();
    removeEventListener("online", this.#online);
    removeEventListener("offline", this.#online);
  }

  /** How a request reaches the server. */
  protected send(...request: Parameters<typeof fetch>): Promise<Response> {
    return fetch(...request);
  }

  /** Why the map cannot do an action at all; null when it can. */
  protected refusal(_action: MapAction): Reason | null {
    return null;
  }

  /** An exchange has news; `before` is null when it is new. */
  protected heard(before: Exchange | null, after: Exchange): void {
    this.announcer.tell(newsOf(before, after, this.texts), after.language);
  }

  readonly #online = (): void => {
    this.isOnline = navigator.onLine;
    if (this.isOnline) this.tryNow();
    else this.announcer.say(this.texts.t("status.offline"));
  };

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

export function deferred<T>(): { promise: Promise<T>; resolve(value: T): void } {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((done) => (resolve = done));
  return { promise, resolve };
}
