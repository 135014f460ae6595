/** Gives up pictures that do not come. They would keep the few places in which pictures are loaded, for minutes. */

import type ImageTile from "ol/ImageTile.js";
import TileState from "ol/TileState.js";

/** An aerial picture by a slow phone takes less. */
const TILE_MS = 20_000;
/** A whole map that a server draws may take its time. */
const PICTURE_MS = 60_000;

/** Loads a tile. It has failed when it takes longer. */
export function loadTile(tile: ImageTile, src: string): void {
  const image = tile.getImage() as HTMLImageElement;
  image.src = src;
  setTimeout(() => {
    // Another attempt has a picture of its own.
    if (tile.getState() !== TileState.LOADING || tile.getImage() !== image) return;
    image.src = "";
    tile.setState(TileState.ERROR);
  }, TILE_MS);
}

/** What comes of loading a picture. Rejects when it takes longer, and ends the request. */
export async function inTime<Loaded>(image: HTMLImageElement, loaded: Promise<Loaded>): Promise<Loaded> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      image.src = "";
      reject(new Error("too late"));
    }, PICTURE_MS);
  });
  return Promise.race([loaded, late]).finally(() => clearTimeout(timer));
}
