/** Text with addresses in it, in pieces; it is never made into markup. */

import { safeLink } from "@ask-sogis/map-actions";

type Piece = { text: string; href?: string };

const ADDRESS = /https?:\/\/[^\s<>"«»]+|\/api\/prints\/[\w-]+/g;
/** What ends a sentence rather than an address. */
const TAIL = /[.,;:!?)\]'»]+$/;

export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (const { 0: found, index } of text.matchAll(ADDRESS)) {
    const address = found.replace(TAIL, "");
    const href = safeLink(address);
    if (href === null) continue;
    if (index > at) pieces.push({ text: text.slice(at, index) });
    pieces.push({ text: address, href });
    at = index + address.length;
  }
  if (at < text.length) pieces.push({ text: text.slice(at) });
  return pieces;
}
