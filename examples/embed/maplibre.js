import "@ask-sogis/copilot";
import { MapLibreMap } from "@ask-sogis/map-actions/maplibre";
import { Map, setWorkerUrl } from "maplibre-gl";
import worker from "maplibre-gl/dist/maplibre-gl-worker.mjs?worker&url";
import "maplibre-gl/dist/maplibre-gl.css";

// What a map of MapLibre needs where Vite builds the page.
setWorkerUrl(worker);

const map = new Map({
  container: "map",
  style: { version: 8, sources: {}, layers: [{ id: "ground", type: "background", paint: { "background-color": "#eceee9" } }] },
  center: [7.53, 47.21],
  zoom: 12,
});

document.querySelector("ask-copilot").map = new MapLibreMap(map);
