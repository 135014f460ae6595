/** A wish that leaves a choice, the choice, and a turn that is read while it happens. */

import { Client } from "@ask-sogis/client";

const ask = new Client({ endpoint: process.env["ASK_URL"] ?? "http://127.0.0.1:8080", language: "de" });

const offered = await ask.chat("Lade den ÖREB-Auszug an der Koordinate 2600513, 1215519");
const choices = offered.steps.flatMap((step) => step.choices ?? []);
for (const { label } of choices) console.log(`Choice: ${label}`);

if (choices[0]) {
  const chosen = await ask.choose(choices[0]);
  for (const { type } of chosen.steps.flatMap((step) => step.mapActions ?? [])) console.log(`For the map: ${type}`);
}

for await (const news of ask.stream("Gehe zur Langendorfstrasse 19b in Solothurn")) {
  if (news.event === "tool.called") console.log(`Asks: ${news.data.detail.capability}`);
  if (news.event === "turn.finished") console.log(news.data.response.steps[0]?.message);
}

await ask.deleteSession();
