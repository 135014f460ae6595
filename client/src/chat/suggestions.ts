/** How to begin. What is sent is German, which every planner understands; what is shown is in the user's language. */

import type { Key } from "../texts/texts.svelte";
import type { IconName } from "../ui/icons";

export interface Suggestion {
  icon: IconName;
  label: Key;
  message: string;
}

export const SUGGESTIONS: readonly Suggestion[] = [
  { icon: "pin", label: "suggest.address", message: "Gehe zur Langendorfstrasse 19b in Solothurn" },
  { icon: "layers", label: "suggest.layer", message: "Lade die Gewässerschutzkarte" },
  { icon: "parcel", label: "suggest.oereb", message: "Erstelle mir einen ÖREB-Auszug vom Grundstück 168 in Messen" },
  {
    icon: "drill",
    label: "suggest.geothermal",
    message: "Wie tief kann ich an der Koordinate 2605919, 1229245 für eine Erdwärmesonde bohren?",
  },
  { icon: "document", label: "suggest.documents", message: "Welche Pflichten gelten beim Schutz des Grundwassers?" },
];
