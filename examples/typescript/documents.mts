/** A question that is answered from documents, with its sources; and what is thrown when none is. */

import { Client, Refused, Unreachable } from "@ask-sogis/client";

const ask = new Client({ endpoint: process.env["ASK_URL"] ?? "http://127.0.0.1:8080" });

try {
  const { answer, sources, isSupported } = await ask.documents("Welche Pflichten gelten beim Schutz des Grundwassers?");
  console.log(isSupported ? answer : `No answer: ${answer}`);
  for (const { n, name, url } of sources) console.log(`[${n}] ${name} ${url}`);
} catch (error) {
  if (error instanceof Refused) console.error(`${error.status} ${error.code}: ${error.detail}`);
  else if (error instanceof Unreachable) console.error("Nobody is there.");
  else throw error;
  process.exitCode = 1;
}
