/** How to begin: sentences of the sources, in the user's language. */

import { fieldsOf, listOf } from "@ask-sogis/client";
import type { Key } from "../texts/texts.svelte";
import type { IconName } from "../ui/icons";

/** A sentence to begin with; `subject` is what it names. */
export interface Example {
  intent: string;
  text: string;
  subject: string;
}

/** By language. */
export type Examples = Readonly<Partial<Record<string, readonly Example[]>>>;

export interface Suggestion {
  icon: IconName;
  label: Key;
  /** What the label names. */
  what: string;
  message: string;
}

const SHOWN: readonly { intent: string; icon: IconName; label: Key }[] = [
  { intent: "goto_address", icon: "pin", label: "suggest.address" },
  { intent: "load_layer", icon: "layers", label: "suggest.layer" },
  { intent: "oereb_extract", icon: "parcel", label: "suggest.oereb" },
  { intent: "geothermal_probe_assessment", icon: "drill", label: "suggest.geothermal" },
];
/** About what most councils have decided on; which documents there are, nobody says. They are German, and so is what is sent. */
const DOCUMENTS: Suggestion = {
  icon: "document",
  label: "suggest.documents",
  what: "",
  message: "Welche Pflichten gelten beim Schutz des Grundwassers?",
};

/** The first sentence for each of some wishes. */
export function suggestionsOf(examples: readonly Example[] = []): readonly Suggestion[] {
  const named = SHOWN.flatMap(({ intent, icon, label }) => {
    const found = examples.find((example) => example.intent === intent);
    return found ? [{ icon, label, what: found.subject, message: found.text }] : [];
  });
  return [...named, DOCUMENTS];
}

export function readExamples(value: unknown): Examples {
  const isExample = (each: unknown): each is Example => {
    const { intent, text, subject } = fieldsOf(each);
    return [intent, text, subject].every((part) => typeof part === "string");
  };
  return Object.fromEntries(Object.entries(fieldsOf(value)).map(([language, list]) => [language, listOf(list).filter(isExample)]));
}
