import "@ask-sogis/copilot";
import { OpenLayersMap } from "@ask-sogis/map-actions/openlayers";
import { map } from "./map.js";

document.querySelector("ask-copilot").map = new OpenLayersMap(map);
