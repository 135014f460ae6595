import { screen, within } from "@testing-library/svelte";
import { describe, expect, test, vi } from "vitest";
import LayersPanel from "@ask-sogis/copilot/ui/LayersPanel.svelte";
import { wms } from "../../../packages/ask-copilot/tests/a-map";
import { PATIENCE_MS, shown } from "./an-app";

async function withLayers(...ids: string[]) {
  const close = vi.fn();
  const there = shown(LayersPanel, { close });
  for (const id of ids) await there.app.bus.apply([wms(id, id.toUpperCase())]);
  await screen.findByText(ids.at(-1)!.toUpperCase());
  return { ...there, close };
}

const rows = () => [...document.querySelectorAll<HTMLElement>("[data-layer]")];
const order = () => rows().map((row) => row.dataset["layer"]);

describe("the list of layers", () => {
  test("has the topmost first, and moves by the keyboard", async () => {
    const { app, user } = await withLayers("wald", "boden", "wasser");
    expect(order()).toEqual(["wasser", "boden", "wald"]);
    const [handle] = screen.getAllByRole("button", { name: /WASSER/ });
    handle!.focus();
    await user.keyboard("{ArrowDown}");
    expect(order()).toEqual(["boden", "wasser", "wald"]);
    expect(app.map.listed.map(({ id }) => id)).toEqual(order());
    await vi.waitFor(() => expect(document.activeElement?.closest("li")?.dataset["layer"]).toBe("wasser"), PATIENCE_MS);
  });

  test("hides, and says so by its button", async () => {
    const { app, user } = await withLayers("wald");
    const eye = screen.getByRole("button", { name: "WALD anzeigen" });
    expect(eye.getAttribute("aria-pressed")).toBe("true");
    await user.click(eye);
    expect(eye.getAttribute("aria-pressed")).toBe("false");
    expect(app.map.listed[0]!.visible).toBe(false);
  });

  test("removes; the keyboard goes on at the neighbour", async () => {
    const { user } = await withLayers("wald", "boden");
    await user.click(within(rows()[0]!).getByRole("button", { name: /entfernen/ }));
    expect(order()).toEqual(["wald"]);
    await vi.waitFor(() => expect(document.activeElement?.closest("li")?.dataset["layer"]).toBe("wald"), PATIENCE_MS);
  });

  test("makes transparent", async () => {
    const { app, user } = await withLayers("wald");
    await user.click(screen.getByText("WALD"));
    const slider = screen.getByRole("slider") as HTMLInputElement;
    slider.valueAsNumber = 40;
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    await screen.findByText("40 %");
    expect(app.map.listed[0]!.opacity).toBe(0.4);
  });

  test("closes by Escape", async () => {
    const { close, user } = await withLayers("wald");
    screen.getByText("WALD").closest("button")!.focus();
    await user.keyboard("{Escape}");
    expect(close).toHaveBeenCalledOnce();
  });
});
