/** LV95 for OpenLayers, and between it and the projection of a map. Where a map is in LV95 itself, nothing is ever transformed. */

import type { Coordinate } from "ol/coordinate.js";
import type Feature from "ol/Feature.js";
import GeoJSON from "ol/format/GeoJSON.js";
import {
  addCoordinateTransforms,
  addProjection,
  get,
  getPointResolution,
  getTransformFromProjections,
  getUserProjection,
  Projection,
  transform,
  transformExtent,
} from "ol/proj.js";
import { fromEPSG4326, toEPSG4326 } from "ol/proj/epsg3857.js";
import type View from "ol/View.js";
import { SWITZERLAND, type Coord, type Extent } from "../geometry.js";
import { lv95Of, wgs84Of } from "../lv95.js";
import { shapesOf } from "../shapes.js";

const LV95 = "EPSG:2056";
const DEGREES = "EPSG:4326";

/** As the page has registered it, or else our own. */
export function lv95(): Projection {
  const known = get(LV95);
  if (known) return known;
  const projection = new Projection({ code: LV95, units: "m", extent: [...SWITZERLAND], getPointResolution: (resolution) => resolution });
  addProjection(projection);
  const degrees = (coord: Coordinate): Coordinate => [...wgs84Of([coord[0]!, coord[1]!])];
  const metres = (lonLat: Coordinate): Coordinate => [...lv95Of([lonLat[0]!, lonLat[1]!])];
  addCoordinateTransforms(DEGREES, projection, metres, degrees);
  addCoordinateTransforms(
    "EPSG:3857",
    projection,
    (coord) => metres(toEPSG4326(coord.slice(0, 2), undefined, 2)),
    (coord) => fromEPSG4326(degrees(coord), undefined, 2),
  );
  return projection;
}

/** Where LV95 is on a map. The map may change its view at any time. */
export class Plane {
  readonly lv95 = lv95();

  constructor(private readonly view: () => View) {}

  /** That places are said in to OpenLayers: of the view, or what the page has chosen for all that it says. */
  get projection(): Projection {
    return this.#known(getUserProjection() ?? this.view().getProjection());
  }

  toMap(coord: Coord): Coordinate {
    return transform([...coord], this.lv95, this.projection);
  }

  /** As the view itself counts. */
  toView(coord: Coord): readonly [x: number, y: number] {
    const [x, y] = transform([...coord], this.lv95, this.#known(this.view().getProjection()));
    return [x!, y!];
  }

  toLv95(coordinate: Coordinate): Coord {
    const [east, north] = transform(coordinate.slice(0, 2), this.projection, this.lv95);
    return [east!, north!];
  }

  extentToMap(extent: Extent): number[] {
    return transformExtent([...extent], this.lv95, this.projection, 8);
  }

  /** What is in LV95, for the map. What has positions and is no shape all the same is left out. */
  featuresOf(geojson: unknown): Feature[] {
    const features = shapesOf(geojson, (coord) => this.toMap(coord));
    return new GeoJSON().readFeatures({ type: "FeatureCollection", features });
  }

  /** Metres a pixel on the ground, from what is a pixel of the map; and the other way round. */
  metresOf(resolution: number): number {
    const center = this.view().getCenter();
    return center ? resolution * this.#scale(this.toLv95(center)) : resolution;
  }

  resolutionOf(metres: number, at: Coord): number {
    return metres / this.#scale(at);
  }

  #scale(at: Coord): number {
    const projection = this.#known(this.view().getProjection());
    return projection === this.lv95 ? 1 : getPointResolution(projection, 1, [...this.toView(at)], "m");
  }

  /** With a way to LV95, by degrees, which pictures need too. */
  #known(projection: Projection): Projection {
    if (projection === this.lv95 || getTransformFromProjections(projection, this.lv95)) return projection;
    addCoordinateTransforms(
      projection,
      this.lv95,
      (coord) => transform(transform(coord.slice(0, 2), projection, DEGREES), DEGREES, this.lv95),
      (coord) => transform(transform(coord.slice(0, 2), this.lv95, DEGREES), DEGREES, projection),
    );
    return projection;
  }
}
