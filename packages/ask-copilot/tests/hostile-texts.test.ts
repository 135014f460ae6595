import { describe, expect, it } from "vitest";
import { markdown } from "../src/chat/markdown";
import { piecesOf } from "../src/chat/plain-text";
import { safeLink } from "@ask-sogis/map-actions";

function rendered(text: string): HTMLElement {
  const element = document.createElement("div");
  element.innerHTML = markdown(text);
  return element;
}

const HOSTILE = [
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "![x](https://tracker.example/pixel.png)",
  '<a href="javascript:alert(1)">x</a>',
  "[x](javascript:alert(1))",
  "[x](JaVaScRiPt:alert(1))",
  "[x](java\tscript:alert(1))",
  "[x](&#106;avascript:alert(1))",
  "[x](data:text/html;base64,PHNjcmlwdD4=)",
  "[x](vbscript:msgbox)",
  "[x](//evil.example/)",
  "[x](https://user:pw@evil.example/)",
  "<svg><animate onbegin=alert(1) attributeName=x></svg>",
  "<math><mtext><style><img src=x onerror=alert(1)>",
  "<iframe src=https://evil.example></iframe>",
  "<form action=https://evil.example><button type=submit data-cite=1>Senden</button></form>",
  '<button class="cite" data-cite="x" onclick="alert(1)">1</button>',
  "<style>*{display:none}</style>",
  "<div style='position:fixed;inset:0'>x</div>",
  "`</code><script>alert(1)</script>`",
  "[a]: javascript:alert(1)\n[x][a]",
  '<https://evil.example/"onmouseover=alert(1)>',
];

describe("markdown", () => {
  it.each(HOSTILE)("does nothing with %s", (text) => {
    const element = rendered(text);
    expect(element.querySelector("script, img, svg, math, iframe, form, style, object, embed, [style], [id], [name]")).toBeNull();
    for (const each of element.querySelectorAll("*")) {
      for (const { name } of each.attributes) expect(name.startsWith("on"), each.outerHTML).toBe(false);
    }
    for (const link of element.querySelectorAll("a")) {
      expect(safeLink(link.getAttribute("href")), link.outerHTML).not.toBeNull();
      expect([link.target, link.rel]).toEqual(["_blank", "noopener noreferrer"]);
    }
    for (const button of element.querySelectorAll("button")) expect(button.dataset["cite"]).toMatch(/^\d+$/);
  });

  it("shows raw markup as text", () => {
    expect(rendered("vor <b>fett</b> nach").textContent?.trim()).toBe("vor <b>fett</b> nach");
  });

  it("renders what an answer is made of", () => {
    const element = rendered("# Titel\n\n**wichtig** und [Quelle](https://so.ch)\n\n- eins\n- zwei\n\n|a|b|\n|-|-|\n|1|2|");
    expect(element.querySelector("h3")?.textContent).toBe("Titel");
    expect(element.querySelectorAll("li, td")).toHaveLength(4);
    expect(element.querySelector("a")?.getAttribute("href")).toBe("https://so.ch");
  });

  it("makes buttons of citations, and of nothing else in brackets", () => {
    const element = rendered("Bohren ist verboten.[3] Siehe [1][12], nicht [a] oder [4](https://so.ch) oder a[i].");
    expect([...element.querySelectorAll("button")].map(({ dataset }) => dataset["cite"])).toEqual(["3", "1", "12"]);
  });

  it("keeps a citation with the word before it", () => {
    const element = rendered("In den Zonen S1 & S2<S3 «verboten».» [3] **Und** [4] [5]");
    expect([...element.querySelectorAll(".together")].map(({ textContent }) => textContent)).toEqual(["«verboten».» 3"]);
    expect(element.textContent?.trim()).toBe("In den Zonen S1 & S2<S3 «verboten».» 3 Und 4 5");
    expect(rendered(`${"<x>".repeat(20)} [1]`).textContent?.trim()).toBe(`${"<x>".repeat(20)} 1`);
  });

  it("copes with a huge text", () => {
    expect(rendered("*".repeat(500_000)).textContent?.length).toBeLessThan(50_000);
    expect(rendered("[".repeat(200_000)).textContent?.length).toBeLessThan(50_000);
  });
});

describe("plain text", () => {
  const hrefs = (text: string) => piecesOf(text).flatMap(({ href }) => href ?? []);

  it("links addresses of the web and prints of the server", () => {
    const text = "PDF: /api/prints/0f8c-2a (bis 14:30), siehe https://geo.so.ch/map/?a=1&b=2.";
    expect(hrefs(text)).toEqual(["/api/prints/0f8c-2a", "https://geo.so.ch/map/?a=1&b=2"]);
    expect(
      piecesOf(text)
        .map((piece) => piece.text)
        .join(""),
    ).toBe(text);
  });

  it.each(["javascript:alert(1)", "https://a b", "<script>https:</script>", "//evil.example", "/api/prints/../chat", "ftp://x.ch"])(
    "links nothing else: %s",
    (text) => {
      for (const href of hrefs(text)) expect(safeLink(href)).toBe(href);
      expect(
        piecesOf(text)
          .map((piece) => piece.text)
          .join(""),
      ).toBe(text);
      expect(hrefs(text).some((href) => href.startsWith("javascript"))).toBe(false);
    },
  );
});

describe("a safe link", () => {
  it.each(["javascript:alert(1)", "//x.ch", "/api/chat", "/api/prints/a/b", "https://", "http://a\nb.ch", "", "x.ch", 7, null, undefined])(
    "is not %j",
    (value) => expect(safeLink(value)).toBeNull(),
  );
});
