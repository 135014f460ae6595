/** Markers with their labels, and the numbered places of a choice. */

import Feature from "ol/Feature.js";
import Point from "ol/geom/Point.js";
import type Geometry from "ol/geom/Geometry.js";
import VectorLayer from "ol/layer/Vector.js";
import VectorSource from "ol/source/Vector.js";
import { Circle, Fill, Icon, Stroke, Style, Text } from "ol/style.js";
import type { Marker } from "../actions.js";
import type { Where } from "../geometry.js";
import { FAMILY, type Palette } from "../palette.js";
import { PIN, pinPicture } from "../pin.js";
import type { Plane } from "./projection.js";

const MAX_LABEL_CHARS = 60;

/** Names of layers with this give way to each other. */
export const LABELS = "labels";

export function featureLayer(zIndex: number, declutter: string | false = false): VectorLayer<VectorSource> {
  return new VectorLayer({ source: new VectorSource(), zIndex, declutter, updateWhileAnimating: true });
}

export function showMarkers(layer: VectorLayer<VectorSource>, markers: readonly Marker[], palette: Palette, plane: Plane): void {
  const features = markers.map((marker) => {
    const feature = new Feature(new Point(plane.toMap(marker.coord)));
    feature.setStyle([new Style({ image: pinImage(), zIndex: 2 }), ...(marker.label ? [labelStyle(marker.label, palette)] : [])]);
    return feature;
  });
  replace(layer, features);
}

/** The numbers of the options, and below them their outlines. */
export function showCandidates(layer: VectorLayer<VectorSource>, candidates: readonly Where[], palette: Palette, plane: Plane): void {
  const outlines = candidates.flatMap(({ geometry }) => shapeOf(geometry, plane) ?? []).map((shape) => styled(shape, lineStyles(palette, 1.5)));
  const numbers = candidates.map(({ coord }, n) => styled(new Point(plane.toMap(coord)), [numberStyle(n, palette)]));
  replace(layer, [...outlines, ...numbers]);
}

/** How long what a card is about takes to stand out. */
const LIFT_MS = 160;
const LIFTED_PX = 5;
const RING_PX = 16;

/** What a card is about: its outline gets stronger, and around its point a ring draws together. */
export class Lift {
  readonly layer = featureLayer(905);
  #frame = 0;

  constructor(private readonly plane: Plane) {}

  show(where: Where | null, palette: Palette): void {
    cancelAnimationFrame(this.#frame);
    if (!where) return replace(this.layer, []);
    const shape = shapeOf(where.geometry, this.plane);
    const feature = new Feature<Geometry>(shape ?? new Point(this.plane.toMap(where.coord)));
    replace(this.layer, [feature]);
    const start = performance.now();
    const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const draw = (): void => {
      const share = isStill ? 1 : Math.min(1, (performance.now() - start) / LIFT_MS);
      const eased = 1 - (1 - share) ** 3;
      feature.setStyle(shape ? lineStyles(palette, LIFTED_PX * eased) : ringStyles(palette, RING_PX * (2 - eased)));
      if (share < 1) this.#frame = requestAnimationFrame(draw);
    };
    draw();
  }
}

/** A pin, and at its foot a ring around the very place. */
export function pointStyles(palette: Palette): Style[] {
  return [...ringStyles(palette, 6), new Style({ image: pinImage(), zIndex: 2 })];
}

function ringStyles(palette: Palette, radius: number): Style[] {
  const ring = (color: string, width: number): Style =>
    new Style({ image: new Circle({ radius, stroke: new Stroke({ color, width }), fill: new Fill({ color: palette.markFill }) }) });
  return [ring(palette.halo, 5), ring(palette.mark, 2)];
}

/** Light below, so that they are seen on every background. */
function lineStyles(palette: Palette, width: number): Style[] {
  const dot = new Circle({ radius: 6, stroke: new Stroke({ color: palette.mark, width: 2 }), fill: new Fill({ color: palette.markFill }) });
  return [
    new Style({ stroke: new Stroke({ color: palette.halo, width: width + 3 }) }),
    new Style({ stroke: new Stroke({ color: palette.mark, width }), fill: new Fill({ color: palette.markFill }), image: dot }),
  ];
}

function numberStyle(n: number, palette: Palette): Style {
  return new Style({
    image: new Circle({ radius: 11, fill: new Fill({ color: palette.badge }), stroke: new Stroke({ color: palette.halo, width: 2 }) }),
    text: new Text({ text: String(n + 1), font: `600 12.5px ${FAMILY}`, fill: new Fill({ color: palette.badgeInk }), offsetY: 1 }),
    zIndex: 1_000 - n,
  });
}

function shapeOf(geojson: object | null, plane: Plane): Geometry | null {
  try {
    return (geojson && plane.geojson().readFeatures(geojson)[0]?.getGeometry()) ?? null;
  } catch {
    // It has positions, and is no shape all the same.
    return null;
  }
}

function styled(shape: Geometry, styles: Style[]): Feature {
  const feature = new Feature(shape);
  feature.setStyle(styles);
  return feature;
}

function pinImage(): Icon {
  const ratio = Math.ceil(devicePixelRatio);
  const [x, y] = PIN.foot;
  return new Icon({
    img: pinPicture(ratio),
    scale: 1 / ratio,
    anchor: [x / PIN.width, y / PIN.height],
    declutterMode: "none",
  });
}

function labelStyle(label: string, palette: Palette): Style {
  const text = label.length > MAX_LABEL_CHARS ? `${label.slice(0, MAX_LABEL_CHARS - 1)}…` : label;
  return new Style({
    zIndex: 3,
    text: new Text({
      text,
      font: `600 14.5px ${FAMILY}`,
      offsetY: -58,
      fill: new Fill({ color: palette.ink }),
      stroke: new Stroke({ color: palette.halo, width: 4 }),
    }),
  });
}

export function replace(layer: VectorLayer<VectorSource>, features: Feature[]): void {
  const source = layer.getSource();
  source?.clear(true);
  source?.addFeatures(features);
}
