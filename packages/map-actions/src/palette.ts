/** The colours of what is drawn on the canvas; those of the page are in `ui/theme.css`. */

export const FAMILY = '"Atkinson Hyperlegible Next", "Helvetica Neue", Helvetica, "Liberation Sans", Arial, sans-serif';

export interface Palette {
  ground: string;
  line: string;
  lineLabel: string;
  ink: string;
  quietInk: string;
  halo: string;
  mark: string;
  markFill: string;
  shapeFill: string;
  badge: string;
  badgeInk: string;
  /** Around the region, and over all that is not of it. */
  region: string;
  veil: string;
}

export const LIGHT: Palette = {
  ground: "#eceee9",
  line: "#d3d8d0",
  lineLabel: "#5d675d",
  ink: "#20262b",
  quietInk: "#5a646b",
  halo: "rgba(246,247,244,0.92)",
  mark: "#c8102e",
  markFill: "rgba(200,16,46,0.12)",
  shapeFill: "rgba(11,90,115,0.16)",
  badge: "#0b5a73",
  badgeInk: "#ffffff",
  region: "#0b5a73",
  veil: "rgba(236,238,233,0.5)",
};

export const DARK: Palette = {
  ground: "#1a1f22",
  line: "#2b3336",
  lineLabel: "#8b979b",
  ink: "#e9edee",
  quietInk: "#a3afb4",
  halo: "rgba(22,26,28,0.92)",
  mark: "#ff6b7a",
  markFill: "rgba(255,107,122,0.18)",
  shapeFill: "rgba(124,196,220,0.2)",
  badge: "#7cc4dc",
  badgeInk: "#0e1517",
  region: "#7cc4dc",
  veil: "rgba(20,24,26,0.5)",
};
