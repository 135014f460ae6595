/** Where the user is, as the browser says, drawn on the map. It stays in the browser. */

import Feature from "ol/Feature";
import type OlMap from "ol/Map";
import CircleGeometry from "ol/geom/Circle";
import Point from "ol/geom/Point";
import { fromCircle } from "ol/geom/Polygon";
import type VectorLayer from "ol/layer/Vector";
import type VectorSource from "ol/source/Vector";
import { Circle, Fill, Stroke, Style } from "ol/style";
import { featureLayer, type OlCamera } from "@ask-sogis/map-actions/openlayers";
import { between, toLv95, zoomOfResolution, type Coord, type Palette } from "@ask-sogis/map-actions";

export type Trouble = "insecure" | "unsupported" | "refused" | "none" | "outside";

interface Fix {
  coord: Coord;
  /** Metres: the place is likely to be that close. */
  accuracy: number;
}

interface Hearer {
  found(fix: Fix): void;
  failed(trouble: Trouble): void;
}

const WAIT_MS = 20_000;
const POSITION_Z = 980;
const CORNERS = 64;
/** The map was moved by the user when its middle is further from the place. */
const MOVED_PX = 24;
/** Metres a pixel: from further out, the map goes closer. */
const CLOSE_M = 2.5;
/** From the place to the edge of how exact it is, at least as far as that can be seen. */
const AROUND_PX = 150;

/** Why there can be no position at all. */
export function obstacle(): Trouble | null {
  if (!isSecureContext) return "insecure";
  return "geolocation" in navigator ? null : "unsupported";
}

export class Position {
  readonly #layer: VectorLayer<VectorSource> = featureLayer(POSITION_Z);
  readonly #watch: number;
  #fix: Fix | null = null;
  /** Where the map was led to. */
  #target: Coord | null = null;
  #follows = true;
  #flights = 0;

  constructor(
    private readonly map: OlMap,
    private readonly camera: OlCamera,
    private palette: Palette,
    private readonly hearer: Hearer,
  ) {
    map.addLayer(this.#layer);
    map.on("moveend", this.#moved);
    this.#watch = navigator.geolocation.watchPosition(
      ({ coords }) => this.#found(coords),
      ({ code }) => this.#failed(code),
      { enableHighAccuracy: true, timeout: WAIT_MS, maximumAge: 5_000 },
    );
  }

  paint(palette: Palette): void {
    this.palette = palette;
    this.#draw();
  }

  end(): void {
    navigator.geolocation.clearWatch(this.#watch);
    this.map.un("moveend", this.#moved);
    this.map.removeLayer(this.#layer);
  }

  #found({ latitude, longitude, accuracy }: GeolocationCoordinates): void {
    const coord = toLv95(latitude, longitude);
    if (!coord) return this.hearer.failed("outside");
    this.#fix = { coord, accuracy };
    this.#draw();
    if (this.#follows) void this.#fly(coord);
    this.hearer.found(this.#fix);
  }

  /** A fix that was lost for a while stays where it was; permission that is withdrawn ends it. */
  #failed(code: number): void {
    const isRefused = code === GeolocationPositionError.PERMISSION_DENIED;
    if (isRefused || !this.#fix) this.hearer.failed(isRefused ? "refused" : "none");
  }

  async #fly(center: Coord): Promise<void> {
    this.#flights += 1;
    this.#target = center;
    const closest = Math.max(CLOSE_M, (this.#fix?.accuracy ?? 0) / AROUND_PX);
    await this.camera.show({ center, zoom: zoomOfResolution(Math.min(this.camera.where().resolution, closest)) });
    this.#flights -= 1;
  }

  readonly #moved = (): void => {
    if (!this.#target || this.#flights > 0) return;
    const { center, resolution } = this.camera.where();
    if (between(center, this.#target) > MOVED_PX * resolution) this.#follows = false;
  };

  #draw(): void {
    const source = this.#layer.getSource();
    source?.clear(true);
    if (!this.#fix) return;
    const { coord, accuracy } = this.#fix;
    const { badge, halo, shapeFill } = this.palette;
    const area = new Feature(fromCircle(new CircleGeometry([...coord], accuracy), CORNERS));
    area.setStyle(new Style({ fill: new Fill({ color: shapeFill }), stroke: new Stroke({ color: badge, width: 1.5 }) }));
    const dot = new Feature(new Point([...coord]));
    const image = new Circle({ radius: 8, fill: new Fill({ color: badge }), stroke: new Stroke({ color: halo, width: 3 }) });
    dot.setStyle(new Style({ image, zIndex: 1 }));
    source?.addFeatures([area, dot]);
  }
}
