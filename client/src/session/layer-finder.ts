/** Finds layers by their ids: those that were on the map, and those that the server knows. */

import { fieldsOf, type Server } from "@ask-sogis/client";
import { isOfHosts, readLayer, type MapLayer } from "@ask-sogis/map-actions";

/** Fewer than one may ask at once, so that a message still gets through. */
const AT_ONCE = 3;
const MAX_KNOWN = 200;

export class LayerFinder {
  #known = new Map<string, MapLayer>();

  constructor(private readonly server: Server) {}

  remember(layers: readonly MapLayer[]): void {
    for (const layer of layers) {
      this.#known.delete(layer.id);
      this.#known.set(layer.id, layer);
    }
    for (const id of [...this.#known.keys()].slice(0, -MAX_KNOWN)) this.#known.delete(id);
  }

  known(id: string): MapLayer | null {
    return this.#known.get(id) ?? null;
  }

  /** Asks for all of them; those that are found are known afterwards. */
  async find(ids: readonly string[], hosts: readonly string[]): Promise<void> {
    const waiting = ids.filter((id) => !this.#known.has(id));
    const work = async (): Promise<void> => {
      for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
        const layer = await this.#ask(id, hosts);
        if (layer) this.remember([layer]);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  }

  async #ask(id: string, hosts: readonly string[]): Promise<MapLayer | null> {
    try {
      const layer = readLayer(payloadOf(await this.server.layer(id)));
      const urls = [layer.source.type === "geojson" ? "" : layer.source.url, layer.legendUrl];
      return layer.id === id && urls.every((url) => url === undefined || isOfHosts(url, hosts)) ? layer : null;
    } catch {
      return null;
    }
  }
}

/** Of `addLayer`. */
function payloadOf(item: unknown): Record<string, unknown> {
  const { id, label, source, visible, attribution, legendUrl } = fieldsOf(item);
  const { type, url, parameters, tileGrid } = fieldsOf(source);
  return { id, type, visible, label, attribution, legendUrl, source: { ...fieldsOf(parameters), url, tileGrid } };
}
