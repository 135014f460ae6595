/** The map with its title, scale and sources as one picture. */

import type OlMap from "ol/Map";
import { FAMILY, type Size } from "@ask-sogis/map-actions";
import { NORTH_ARROW, rows } from "./printing";

interface Captions {
  title: string;
  /** `1:5000`, and a bar with its width in pixels of the page. */
  scale: string;
  bar: { label: string; width: number };
  /** Date, sources, what it is not. */
  notes: readonly string[];
  legend: { title: string; entries: readonly Legend[] };
}

export interface Legend {
  label: string;
  /** Its picture, or what is said in its place. */
  shown: HTMLImageElement | string;
}

const MARGIN = 24;
const TITLE = 20;
const SMALL = 12.5;
const GAP = 20;
/** What a label may be wider than its picture. */
const LABEL = 200;
const INK = "#1b2126";

/** Rejects when a service does not allow that its pictures are read. */
export async function pictureOf(map: OlMap, captions: Captions): Promise<Blob> {
  map.renderSync();
  const [width, height] = map.getSize() as [number, number];
  const canvases = [...map.getViewport()!.querySelectorAll("canvas")].filter((canvas) => canvas.width > 0);
  const ratio = Math.max(1, ...canvases.map((canvas) => canvas.width / width));
  const picture = document.createElement("canvas");
  const context = picture.getContext("2d")!;
  const font = (weight: number, size: number): string => `${weight} ${size}px ${FAMILY}`;
  context.font = font(600, TITLE);
  const title = wrapped(context, captions.title, width);
  context.font = font(400, SMALL);
  const notes = captions.notes.flatMap((note) => wrapped(context, note, width));
  const head = MARGIN + title.length * TITLE * 1.3 + 8;
  const foot = 16 + 34 + notes.length * SMALL * 1.5 + MARGIN;
  context.font = font(600, SMALL);
  const legends = captions.legend.entries.map((entry) => sized(context, entry, width));
  const laid = rows(
    legends.map(({ size }) => size),
    width,
    GAP,
  );
  const legend = legends.length > 0 ? laid.height + TITLE * 1.3 + GAP : 0;
  picture.width = Math.round((width + 2 * MARGIN) * ratio);
  picture.height = Math.round((head + height + foot + legend) * ratio);

  context.scale(ratio, ratio);
  context.fillStyle = "#fff";
  context.fillRect(0, 0, width + 2 * MARGIN, head + height + foot + legend);
  context.fillStyle = INK;
  context.font = font(600, TITLE);
  title.forEach((line, n) => context.fillText(line, MARGIN, MARGIN + TITLE + n * TITLE * 1.3));

  context.save();
  context.translate(MARGIN, head);
  context.beginPath();
  context.rect(0, 0, width, height);
  context.clip();
  for (const canvas of canvases) drawn(context, canvas, ratio);
  context.restore();
  context.strokeStyle = INK;
  context.strokeRect(MARGIN + 0.5, head + 0.5, width - 1, height - 1);
  north(context, MARGIN + width - 26, head + 14);

  const base = head + height + 16;
  context.lineWidth = 1.5;
  context.beginPath();
  context.moveTo(MARGIN, base + 4);
  context.lineTo(MARGIN, base + 12);
  context.lineTo(MARGIN + captions.bar.width, base + 12);
  context.lineTo(MARGIN + captions.bar.width, base + 4);
  context.stroke();
  context.font = font(600, SMALL);
  context.fillText(`${captions.bar.label}   ${captions.scale}`, MARGIN + captions.bar.width + 10, base + 13);
  context.font = font(400, SMALL);
  notes.forEach((line, n) => context.fillText(line, MARGIN, base + 34 + n * SMALL * 1.5));

  if (legends.length > 0) {
    context.translate(MARGIN, head + height + foot);
    context.font = font(600, SMALL + 2);
    context.fillText(captions.legend.title, 0, SMALL);
    context.translate(0, TITLE * 1.3);
    legends.forEach(({ label, shown }, n) => {
      const [x, y] = laid.corners[n]!;
      context.font = font(600, SMALL);
      label.forEach((line, row) => context.fillText(line, x, y + SMALL + row * SMALL * 1.5));
      const below = y + label.length * SMALL * 1.5 + 6;
      context.font = font(400, SMALL);
      if (typeof shown === "string") context.fillText(shown, x, below + SMALL);
      else context.drawImage(shown, x, below, shown.naturalWidth * fitting(shown, width), shown.naturalHeight * fitting(shown, width));
    });
  }

  return new Promise((resolve, reject) => {
    picture.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture"))), "image/png");
  });
}

/** With the place and the opacity that OpenLayers gives it. */
function drawn(context: CanvasRenderingContext2D, canvas: HTMLCanvasElement, ratio: number): void {
  const numbers = /^matrix\(([^)]*)\)$/.exec(canvas.style.transform)?.[1]?.split(",").map(Number);
  const [a, b, c, d, e, f] = numbers?.length === 6 ? numbers : [1 / ratio, 0, 0, 1 / ratio, 0, 0];
  context.save();
  context.globalAlpha = Number((canvas.parentElement as HTMLElement).style.opacity || canvas.style.opacity || 1);
  context.transform(a!, b!, c!, d!, e!, f!);
  context.drawImage(canvas, 0, 0);
  context.restore();
}

/** A legend in lines, with the room that it needs. */
function sized(
  context: CanvasRenderingContext2D,
  { label, shown }: Legend,
  width: number,
): { label: string[]; shown: Legend["shown"]; size: Size } {
  const [wide, high] =
    typeof shown === "string"
      ? [context.measureText(shown).width, SMALL * 1.5]
      : [shown.naturalWidth * fitting(shown, width), shown.naturalHeight * fitting(shown, width)];
  const lines = wrapped(context, label, Math.min(width, Math.max(wide, LABEL)));
  const widest = Math.max(wide, ...lines.map((line) => context.measureText(line).width));
  return { label: lines, shown, size: [widest, lines.length * SMALL * 1.5 + 6 + high] };
}

/** How much smaller a picture has to be to find place. */
function fitting(picture: HTMLImageElement, width: number): number {
  return Math.min(1, width / picture.naturalWidth);
}

function north(context: CanvasRenderingContext2D, x: number, y: number): void {
  context.save();
  context.translate(x - 10, y - 6);
  context.fillStyle = "rgba(255, 255, 255, 0.85)";
  context.fillRect(0, 0, 32, 46);
  context.fillStyle = INK;
  context.translate(0, 2);
  context.fill(new Path2D(NORTH_ARROW));
  context.font = `600 12.5px ${FAMILY}`;
  context.textAlign = "center";
  context.fillText("N", 16, 39);
  context.restore();
}

/** In lines that are not wider; a word that is stays whole. */
function wrapped(context: CanvasRenderingContext2D, text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const longer = lines.length > 0 ? `${lines.at(-1)} ${word}` : word;
    if (lines.length > 0 && context.measureText(longer).width <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}
