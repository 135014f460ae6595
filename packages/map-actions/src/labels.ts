/** What is written on a map. */

import { FAMILY, type Palette } from "./palette.js";

/** `size` and the width of the halo in pixels; `offset` is how far the middle is below the place. */
export interface Lettering {
  size: number;
  halo: number;
  offset: number;
  maxChars: number;
}

/** Above the pin. */
export const MARKER_LETTERING: Lettering = { size: 14.5, halo: 4, offset: -58, maxChars: 60 };

export const FEATURE_NAME_CHARS = 40;

/** Below the dot of a feature. */
export function featureLettering(radius: number): Lettering {
  return { size: 12.5, halo: 3.5, offset: radius + 10, maxChars: FEATURE_NAME_CHARS };
}

/** Metres a pixel: further out only those features are named that stand out. */
export const NAMED_BELOW_M = 2.5;

export function fontOf(size: number): string {
  return `600 ${size}px ${FAMILY}`;
}

/** For what takes markup, as the attributions of a map do: everything in it is text. */
export function asMarkup(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.codePointAt(0)};`);
}

export function shortened(text: string, maxChars: number): string {
  return text.length > maxChars ? `${text.slice(0, maxChars - 1)}…` : text;
}

/** The number of an option, from 1: radius of its disc, width of the rim around it, size of the digits, in pixels. */
export const NUMBER = { radius: 11, rim: 2, size: 12.5 } as const;

/** A label, drawn; for a map that has no letters of its own. `ratio` is how many pixels of the picture are one of the page. */
export function labelPicture(text: string, { size, halo }: Lettering, ratio: number, palette: Palette): ImageData {
  const context = document.createElement("canvas").getContext("2d", { willReadFrequently: true })!;
  context.font = fontOf(size);
  const width = Math.ceil(context.measureText(text).width + 2 * halo);
  const height = Math.ceil(1.3 * size + 2 * halo);
  resize(context, width, height, ratio);
  context.font = fontOf(size);
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.lineJoin = "round";
  context.strokeStyle = palette.halo;
  context.lineWidth = halo;
  context.strokeText(text, width / 2, height / 2);
  context.fillStyle = palette.ink;
  context.fillText(text, width / 2, height / 2);
  return pixelsOf(context.canvas);
}

/** The disc with the number of an option, drawn. `ratio` as for a label. */
export function numberPicture(number: number, ratio: number, palette: Palette): ImageData {
  const context = document.createElement("canvas").getContext("2d", { willReadFrequently: true })!;
  const middle = NUMBER.radius + NUMBER.rim;
  resize(context, 2 * middle, 2 * middle, ratio);
  context.arc(middle, middle, NUMBER.radius, 0, 2 * Math.PI);
  context.fillStyle = palette.badge;
  context.fill();
  context.strokeStyle = palette.halo;
  context.lineWidth = NUMBER.rim;
  context.stroke();
  context.font = fontOf(NUMBER.size);
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.fillStyle = palette.badgeInk;
  context.fillText(String(number), middle, middle + 1);
  return pixelsOf(context.canvas);
}

export function pixelsOf(canvas: HTMLCanvasElement): ImageData {
  return canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height);
}

function resize(context: CanvasRenderingContext2D, width: number, height: number, ratio: number): void {
  context.canvas.width = width * ratio;
  context.canvas.height = height * ratio;
  context.scale(ratio, ratio);
}
