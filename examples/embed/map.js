// The page had this before: a map of OpenLayers, in the projection of web maps.
import Map from "ol/Map";
import View from "ol/View";
import TileLayer from "ol/layer/Tile";
import OSM from "ol/source/OSM";
import "ol/ol.css";

export const map = new Map({
  target: "map",
  layers: [new TileLayer({ source: new OSM() })],
  view: new View({ center: [838000, 5976000], zoom: 12 }),
});
