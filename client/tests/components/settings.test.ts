import { screen } from "@testing-library/svelte";
import { describe, expect, test } from "vitest";
import { restorePreferences } from "../../src/session/storage";
import Settings from "../../src/ui/Settings.svelte";
import { shown } from "./an-app";

describe("the settings", () => {
  test("open and close; Escape gives the focus back", async () => {
    const { user } = shown(Settings, {});
    const button = screen.getByRole("button", { name: "Einstellungen" });
    expect(screen.queryByRole("radio")).toBeNull();
    await user.click(button);
    expect(button.getAttribute("aria-expanded")).toBe("true");
    screen.getByRole("radio", { name: "Deutsch" }).focus();
    await user.keyboard("{Escape}");
    expect(screen.queryByRole("radio")).toBeNull();
    expect(document.activeElement).toBe(button);
  });

  test("speak the language that is chosen, and keep it", async () => {
    const { app, user } = shown(Settings, {});
    await user.click(screen.getByRole("button", { name: "Einstellungen" }));
    await user.click(screen.getByRole("radio", { name: "Français" }));
    await screen.findByText("Langue");
    expect(app.texts.language).toBe("fr");
    expect(restorePreferences().language).toBe("fr");
  });

  test("keep light or dark", async () => {
    const { app, user } = shown(Settings, {});
    await user.click(screen.getByRole("button", { name: "Einstellungen" }));
    await user.click(screen.getByRole("radio", { name: "Dunkel" }));
    expect(app.theme).toBe("dark");
    expect(restorePreferences().theme).toBe("dark");
  });
});
