import "@ask-sogis/copilot";
import { MapLibreMap } from "@ask-sogis/map-actions/maplibre";
import { Map } from "maplibre-gl";
import "maplibre-gl/dist/maplibre-gl.css";

const map = new Map({
  container: "map",
  style: { version: 8, sources: {}, layers: [{ id: "ground", type: "background", paint: { "background-color": "#eceee9" } }] },
  center: [7.53, 47.21],
  zoom: 12,
});

document.querySelector("ask-copilot").map = new MapLibreMap(map);
