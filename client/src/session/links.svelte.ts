/** Where links lead: the address of the page follows the map, and a link that is opened brings its map. */

import { fieldsOf, problemBehind, textOf, type Server } from "@ask-sogis/client";
import type { MapConfig } from "../map/config";
import type { LayerEntry } from "@ask-sogis/map-actions";
import type { MapModel, Snapshot } from "@ask-sogis/copilot/map/model.svelte";
import type { Texts } from "@ask-sogis/copilot/texts/texts.svelte";
import { fromAddress, toAddress, type Address, type Listed } from "./address";
import { LayerFinder } from "./layer-finder";
import { fromDocument, fromFragment, toDocument, toFragment } from "./share-link";

const REST_MS = 500;
const SHARE_PATIENCE_MS = 4_000;
const LINK = /^#(map|share)=/;
const SHARE = /^#share=([\w-]{1,64})$/;
/** The addresses that this tab has written last: what it has saved is newer. Who reloads at once may come back with the one before. */
const WRITTEN = "ask.sogis/address";
/** The link with which somebody came who had to sign in first. */
const WAITING = "ask.sogis/link";

interface Surroundings {
  map: MapModel;
  config: Promise<MapConfig>;
  texts: Texts;
  server: Server;
  show: (snapshot: Snapshot) => void;
  say: (message: string) => void;
}

/** A link to the map as it is; `until` is the day on which a short one expires. */
interface MadeLink {
  url: string;
  until: string | null;
  isWhole: boolean;
}

export class Links {
  /** What has to be known of the link that was opened last. */
  note = $state("");
  readonly #finder: LayerFinder;
  /** Of the links that were opened; nothing is written while the map of one is on its way. */
  #opened = 0;
  #isOpening = true;
  /** The address that was opened or written last. Another one has just been typed: its event is on the way. */
  #known = "";
  /** What did not come may come when the page is loaded again: the address stays until the map is changed. */
  #isKept = false;
  #written: string | null = null;
  #writing: ReturnType<typeof setTimeout> | undefined;

  constructor(readonly around: Surroundings) {
    this.#finder = new LayerFinder(around.server);
  }

  /** Brings the map of the address, unless this tab has written it itself, and has what it showed (`isRestored`). */
  async begin(isRestored: boolean): Promise<void> {
    this.#finder.remember(this.around.map.listed);
    const waiting = remembered(WAITING);
    remember(WAITING, "");
    if (waiting && !LINK.test(location.hash)) history.replaceState(history.state, "", location.pathname + location.search + waiting);
    this.#known = location.hash;
    if ((isRestored && isOwn()) || !LINK.test(location.hash)) this.#opening(false);
    else await this.take();
  }

  /** Brings the map that the address of the page leads to. */
  async take(): Promise<void> {
    const fragment = location.hash;
    this.#known = fragment;
    if (!LINK.test(fragment)) return this.follow();
    const turn = ++this.#opened;
    this.#opening(true);
    this.note = "";
    const { layerHosts } = await this.around.config;
    const address = fromAddress(fragment);
    const [, share] = SHARE.exec(fragment) ?? [];
    let isKept = false;
    if (address) isKept = await this.#showAddress(address, layerHosts, () => turn === this.#opened);
    else if (share) isKept = await this.#showShare(share, layerHosts, () => turn === this.#opened);
    else {
      const shared = fromFragment(fragment, layerHosts);
      if (shared) this.around.show(shared);
    }
    if (turn !== this.#opened) return;
    this.#isKept = isKept;
    this.#opening(false);
  }

  /** To be called whenever the map has changed. */
  follow(): void {
    clearTimeout(this.#writing);
    this.#writing = setTimeout(() => this.#write(), REST_MS);
  }

  /** What a link leads to that has not come until now comes afterwards. */
  beforeSignIn(): void {
    if (LINK.test(location.hash) && !isOwn()) remember(WAITING, location.hash);
  }

  /** Whoever sits here next does not see where the map was. */
  leave(): void {
    this.#isOpening = true;
    history.replaceState(history.state, "", location.pathname + location.search);
    remember(WRITTEN, "");
  }

  /** A short link; a long one, which contains the map, when the server keeps none. */
  async share(): Promise<MadeLink> {
    const snapshot = this.around.map.snapshot();
    const page = location.origin + location.pathname + location.search;
    const { map, isWhole } = toDocument(snapshot);
    try {
      const { id, expiresAt } = fieldsOf(await this.around.server.share(map, { signal: AbortSignal.timeout(SHARE_PATIENCE_MS) }));
      const fragment = `#share=${textOf(id)}`;
      const day = /^\d{4}-\d{2}-\d{2}/.exec(textOf(expiresAt))?.[0];
      if (SHARE.test(fragment) && day) return { url: page + fragment, until: day, isWhole };
    } catch {
      // The long one needs no server.
    }
    const fragment = toFragment(snapshot);
    const whole = fromFragment(fragment, (await this.around.config).layerHosts);
    return {
      url: page + fragment,
      until: null,
      isWhole: whole?.layers.length === snapshot.layers.length && snapshot.features.length === 0,
    };
  }

  /** Whether something of it has not come. */
  async #showAddress(address: Address, hosts: readonly string[], isCurrent: () => boolean): Promise<boolean> {
    const { map, texts } = this.around;
    const known = (): readonly LayerEntry[] => address.layers.map((each) => this.#entry(each)).filter((each) => each !== null);
    this.around.show({ ...address, layers: known(), features: [] });
    const asked = address.layers.filter(({ id }) => !this.#finder.known(id));
    if (asked.length === 0) return false;
    await this.#finder.find(
      asked.map(({ id }) => id),
      hosts,
    );
    if (!isCurrent()) return false;
    // In the order of the address; what was changed meanwhile stays as it is.
    const come = new Set(asked.map(({ id }) => id));
    const now = new Map(map.layers.map((layer) => [layer.id, layer]));
    const ordered = known().flatMap((layer) => now.get(layer.id) ?? (come.has(layer.id) ? [layer] : []));
    const own = map.layers.filter(({ id }) => !ordered.some((layer) => layer.id === id));
    map.restore({ ...map.snapshot(), layers: [...own, ...ordered] });
    const missing = asked.filter(({ id }) => !this.#finder.known(id));
    if (missing.length > 0) this.#tell(texts.t("link.layersMissing", { layers: missing.map(({ id }) => id).join(", ") }));
    return missing.length > 0;
  }

  async #showShare(id: string, hosts: readonly string[], isCurrent: () => boolean): Promise<boolean> {
    const { texts, server, show } = this.around;
    let status: number | undefined;
    const document = await server.shared(id).catch((error: unknown) => void (status = problemBehind(error).status));
    const shared = fromDocument(document, hosts);
    if (!isCurrent()) return false;
    if (shared) show(shared);
    else this.#tell(texts.t(status === 404 ? "link.expired" : status === 401 ? "link.signIn" : "link.unreachable"));
    return !shared && status !== 404;
  }

  #entry({ id, opacity, visible }: Listed): LayerEntry | null {
    const layer = this.#finder.known(id);
    return layer && { ...layer, opacity, visible };
  }

  #tell(message: string): void {
    this.note = message;
    this.around.say(message);
  }

  #opening(isOpening: boolean): void {
    this.#isOpening = isOpening;
    if (!isOpening) this.follow();
  }

  /** In the place of what stands there: to go back means to leave the page, not to pan back. */
  #write(): void {
    if (this.#isOpening || location.hash !== this.#known) return;
    const { map } = this.around;
    this.#finder.remember(map.listed);
    const address = toAddress(map.snapshot());
    if (address === null || address === this.#written) return;
    this.#written = address;
    if (this.#isKept) {
      this.#isKept = false;
      return;
    }
    const before = location.hash;
    history.replaceState(history.state, "", location.pathname + location.search + address);
    this.#known = location.hash;
    remember(WRITTEN, `${isOwn(before) ? before : ""} ${this.#known}`);
  }
}

function isOwn(address = location.hash): boolean {
  return (remembered(WRITTEN) ?? "").split(" ").includes(address);
}

function remember(as: string, address: string): void {
  try {
    sessionStorage.setItem(as, address);
  } catch {
    // Then the address counts.
  }
}

function remembered(as: string): string | null {
  try {
    return sessionStorage.getItem(as);
  } catch {
    return null;
  }
}
