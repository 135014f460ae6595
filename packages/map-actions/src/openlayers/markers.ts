/** Markers with their labels, and the numbered places of a choice. */

import Feature from "ol/Feature.js";
import Point from "ol/geom/Point.js";
import type Geometry from "ol/geom/Geometry.js";
import VectorLayer from "ol/layer/Vector.js";
import VectorSource from "ol/source/Vector.js";
import { Circle, Fill, Icon, Stroke, Style, Text } from "ol/style.js";
import type { Marker } from "../actions.js";
import type { Where } from "../geometry.js";
import { fontOf, MARKER_LETTERING, NUMBER, shortened } from "../labels.js";
import { LIFTED_PX, outlineLook, OUTLINED_PX, RING_PX, ringLooks } from "../looks.js";
import type { Palette } from "../palette.js";
import { PIN, pinPicture } from "../pin.js";
import type { Plane } from "./projection.js";
import { circleOf, stylesOf } from "./styles.js";

/** Names of layers with this give way to each other. */
export const LABELS = "ask-labels";

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
  const outlines = candidates
    .flatMap(({ geometry }) => shapeOf(geometry, plane) ?? [])
    .map((shape) => styled(shape, stylesOf(outlineLook(OUTLINED_PX, palette))));
  const numbers = candidates.map(({ coord }, n) => styled(new Point(plane.toMap(coord)), [numberStyle(n, palette)]));
  replace(layer, [...outlines, ...numbers]);
}

/** How long what a card is about takes to stand out. */
const LIFT_MS = 160;

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
      feature.setStyle(shape ? stylesOf(outlineLook(LIFTED_PX * eased, palette)) : ringStyles(palette, RING_PX * (2 - eased)));
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
  return ringLooks(radius, palette).map((ring) => new Style({ image: circleOf(ring) }));
}

function numberStyle(n: number, palette: Palette): Style {
  const { radius, rim, size } = NUMBER;
  return new Style({
    image: new Circle({ radius, fill: new Fill({ color: palette.badge }), stroke: new Stroke({ color: palette.halo, width: rim }) }),
    text: new Text({ text: String(n + 1), font: fontOf(size), fill: new Fill({ color: palette.badgeInk }), offsetY: 1 }),
    zIndex: 1_000 - n,
  });
}

function shapeOf(geojson: object | null, plane: Plane): Geometry | null {
  return (geojson && plane.featuresOf(geojson)[0]?.getGeometry()) ?? null;
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
  const { size, halo, offset, maxChars } = MARKER_LETTERING;
  return new Style({
    zIndex: 3,
    text: new Text({
      text: shortened(label, maxChars),
      font: fontOf(size),
      offsetY: offset,
      fill: new Fill({ color: palette.ink }),
      stroke: new Stroke({ color: palette.halo, width: halo }),
    }),
  });
}

export function replace(layer: VectorLayer<VectorSource>, features: Feature[]): void {
  const source = layer.getSource();
  source?.clear(true);
  source?.addFeatures(features);
}
