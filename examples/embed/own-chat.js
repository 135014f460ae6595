// A chat of the page's own, as small as it can be: a message, a sentence, and what it does on the map.
import { Client } from "@ask-sogis/client";
import { MapActions } from "@ask-sogis/map-actions";
import { OpenLayersMap } from "@ask-sogis/map-actions/openlayers";
import { map } from "./map.js";

const form = document.querySelector("form");
const ask = new Client({ endpoint: form.dataset.endpoint });
const actions = new MapActions(new OpenLayersMap(map), { layerHosts: ["https://geo.so.ch"] });
/** What became of the actions of the answer before. */
let mapResults = [];
let answers = 0;

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const message = form.elements.message.value;
  const told = { map: actions.context, mapResults };
  mapResults = [];
  // What one answer does is taken back together.
  const by = `answer ${++answers}`;
  for await (const { event, data } of ask.stream(message, told)) {
    if (event === "turn.finished") form.elements.answer.value = data.response.steps.map((step) => step.message).join(" ");
    for (const { mapActions } of data.apply ?? []) mapResults = mapResults.concat(await actions.apply(mapActions, by));
  }
});

form.elements.undo.addEventListener("click", () => actions.undo());
