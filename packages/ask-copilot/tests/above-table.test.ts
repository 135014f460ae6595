import { expect, it } from "vitest";
import { withoutExtracts, withoutLists } from "../src/chat/above-table";

it.each([
  ["Standorte in Olten: 7.\n\nDie ersten 5:\n- **A** (Nr: 1)\n- B\n\nQuelle: Kanton", "Standorte in Olten: 7.\n\nQuelle: Kanton"],
  ["In Olten:\n\n1. A\n2. B", ""],
  ["Hier: keine.\nQuelle: Kanton", "Hier: keine.\nQuelle: Kanton"],
  ["Es sind:\nsieben - oder mehr", "Es sind:\nsieben - oder mehr"],
])("above a table %j says %j", (markdown, said) => {
  expect(withoutLists(markdown)).toBe(said);
});

it("above the card of a whole extract only its first line is left; an answer from it stays", () => {
  const whole = "Auszug für CH1 bereit.\nWohnzone – in Kraft\nNicht betroffen: 19 Themen.";
  expect(withoutExtracts(whole, ["CH2", "CH1"])).toBe("Auszug für CH1 bereit.");
  expect(withoutExtracts(whole, [])).toBe(whole);
  const answer = "Liegenschaft 198 in Messen:\nSchutzzone S3 – in Kraft\nPDF: https://x/?EGRID=CH1";
  expect(withoutExtracts(answer, ["CH1"])).toBe(answer);
});
