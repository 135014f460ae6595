/** Found features as they are drawn: points, lines and areas that stay sharp, and one of them that stands out. */

import type OlFeature from "ol/Feature.js";
import type { FeatureLike } from "ol/Feature.js";
import { boundingExtent, buffer, getHeight, getWidth } from "ol/extent.js";
import VectorLayer from "ol/layer/Vector.js";
import VectorSource from "ol/source/Vector.js";
import { Fill, Stroke, Style, Text } from "ol/style.js";
import type { FeatureRef, FeatureTable } from "../features.js";
import { FEATURE_NAME_CHARS, featureLettering, fontOf, NAMED_BELOW_M, shortened } from "../labels.js";
import { featureLook } from "../looks.js";
import { LABELS } from "./markers.js";
import type { Palette } from "../palette.js";
import type { Plane } from "./projection.js";
import { stylesOf } from "./styles.js";

const SHAPES_Z = 890;

export class Shapes {
  /** Names give way to each other, shapes do not. */
  readonly layer = new VectorLayer({ source: new VectorSource(), zIndex: SHAPES_Z, declutter: LABELS });
  #highlighted: FeatureRef | null = null;

  constructor(
    private readonly plane: Plane,
    palette: Palette,
  ) {
    this.paint(palette);
  }

  show(tables: readonly FeatureTable[]): void {
    const source = this.layer.getSource();
    source?.clear(true);
    source?.addFeatures(tables.flatMap((table) => this.#featuresOf(table)));
  }

  /** What is drawn within some pixels of a place of the map: the smallest of several, a point before an area. */
  at(place: readonly number[], within: number): FeatureRef | null {
    const found: OlFeature[] = [];
    const around = buffer(boundingExtent([[...place]]), within);
    this.layer.getSource()?.forEachFeatureIntersectingExtent(around, (feature) => void found.push(feature));
    const [smallest] = found.toSorted((one, other) => sizeOf(one) - sizeOf(other));
    return (smallest && refOf(smallest)) ?? null;
  }

  highlight(feature: FeatureRef | null): void {
    this.#highlighted = feature;
    this.layer.changed();
  }

  paint(palette: Palette): void {
    const [quiet, strong] = [featureStyles(palette, false), featureStyles(palette, true)];
    this.layer.setStyle((feature, resolution) => {
      const isStrong = isSame(refOf(feature), this.#highlighted);
      const styles = isStrong ? strong : quiet;
      const name = styles.at(-1)?.getText();
      name?.setText(isStrong || this.plane.metresOf(resolution) < NAMED_BELOW_M ? nameOf(feature) : "");
      return styles;
    });
  }

  #featuresOf({ id, features }: FeatureTable): OlFeature[] {
    return features.features.flatMap((each) => {
      const drawn = each.geometry ? this.plane.featuresOf({ type: "Feature", geometry: each.geometry, properties: {} }) : [];
      for (const feature of drawn) feature.setProperties({ ref: { table: id, feature: each.id }, name: each.properties.label }, true);
      return drawn;
    });
  }
}

/** Which feature of which table is drawn; undefined for what is none. */
function refOf(feature: FeatureLike): FeatureRef | undefined {
  return feature.get("ref") as FeatureRef | undefined;
}

function sizeOf(feature: OlFeature): number {
  const extent = feature.getGeometry()?.getExtent();
  return extent ? getWidth(extent) + getHeight(extent) : Infinity;
}

function isSame(a: FeatureRef | undefined, b: FeatureRef | null): boolean {
  return a?.table === b?.table && a?.feature === b?.feature;
}

function nameOf(feature: FeatureLike): string {
  return shortened(String(feature.get("name")), FEATURE_NAME_CHARS);
}

/** The name comes last. */
function featureStyles(palette: Palette, isStrong: boolean): [...Style[], named: Style] {
  const look = featureLook(isStrong, palette);
  const zIndex = isStrong ? 2 : 1;
  const { size, halo, offset } = featureLettering(look.dot.radius);
  const text = new Text({
    font: fontOf(size),
    offsetY: offset,
    overflow: true,
    fill: new Fill({ color: palette.ink }),
    stroke: new Stroke({ color: palette.halo, width: halo }),
  });
  return [...stylesOf(look, zIndex), new Style({ zIndex: zIndex + 2, text })];
}
