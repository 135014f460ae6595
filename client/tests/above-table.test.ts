import { expect, it } from "vitest";
import { withoutLists } from "../src/chat/above-table";

it.each([
  ["Standorte in Olten: 7.\n\nDie ersten 5:\n- **A** (Nr: 1)\n- B\n\nQuelle: Kanton", "Standorte in Olten: 7.\n\nQuelle: Kanton"],
  ["In Olten:\n\n1. A\n2. B", ""],
  ["Hier: keine.\nQuelle: Kanton", "Hier: keine.\nQuelle: Kanton"],
  ["Es sind:\nsieben - oder mehr", "Es sind:\nsieben - oder mehr"],
])("above a table %j says %j", (markdown, said) => {
  expect(withoutLists(markdown)).toBe(said);
});
