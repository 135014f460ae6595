/** The pin of a marker, drawn: no address of a picture, which the policy of a page might not allow. */

export const PIN = { width: 36, height: 48, foot: [18, 45] } as const;

const drawn = new Map<string, HTMLCanvasElement>();

/** `ratio` is how many pixels of the picture are one of the page. */
export function pinPicture(ratio: number, fill = "#c8102e"): HTMLCanvasElement {
  const key = `${ratio} ${fill}`;
  const before = drawn.get(key);
  if (before) return before;
  const canvas = document.createElement("canvas");
  canvas.width = PIN.width * ratio;
  canvas.height = PIN.height * ratio;
  const context = canvas.getContext("2d", { willReadFrequently: true })!;
  context.scale(ratio, ratio);
  const body = new Path2D("M18 45C13.2 36.6 4 29.6 4 17.6a14 14 0 1 1 28 0C32 29.6 22.8 36.6 18 45z");
  context.fillStyle = fill;
  context.fill(body);
  context.strokeStyle = "#fff";
  context.lineWidth = 2;
  context.stroke(body);
  context.beginPath();
  context.arc(18, 17.5, 5.4, 0, 2 * Math.PI);
  context.fillStyle = "#fff";
  context.fill();
  drawn.set(key, canvas);
  return canvas;
}
