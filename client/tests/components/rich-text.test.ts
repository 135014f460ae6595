import { screen } from "@testing-library/svelte";
import { describe, expect, test, vi } from "vitest";
import RichText from "@ask-sogis/copilot/ui/RichText.svelte";
import { shown } from "./an-app";

const said = (text: string, cited = vi.fn()) => shown(RichText, { text, language: "de", cited, label: (n) => `Quelle ${n}` });

describe("an answer in Markdown", () => {
  test("cites by buttons that say what they are", async () => {
    const cited = vi.fn();
    const { user } = said("Das **gilt** nur in der Zone [2].", cited);
    expect(screen.getByText("gilt").tagName).toBe("STRONG");
    await user.click(screen.getByRole("button", { name: "Quelle 2" }));
    expect(cited).toHaveBeenCalledWith(2);
  });

  test.each(["<img src=x onerror=alert(1)>", "<script>alert(1)</script>", "[hier](javascript:alert(1))"])("runs nothing: %s", (text) => {
    const { container } = said(text);
    expect(container.querySelector("img, script, [onerror], a[href^='javascript']")).toBeNull();
  });
});
