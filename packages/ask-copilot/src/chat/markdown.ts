/** Markdown of answers as safe HTML. Raw HTML in it is shown as text; what comes out is sanitised all the same. */

import DOMPurify from "dompurify";
import { Marked, type TokenizerAndRendererExtension } from "marked";
import { safeLink } from "@ask-sogis/map-actions";

/** More than anybody reads; a longer text is cut, so that no text can block the page. */
const MAX_CHARS = 40_000;

const TAGS = "a b blockquote br button code del em h3 h4 h5 h6 hr i li ol p pre span strong sub sup table tbody td th thead tr ul";

/** `[2]`: a source of the answer. */
const citation: TokenizerAndRendererExtension = {
  name: "citation",
  level: "inline",
  start: (text) => text.match(/\[\d/)?.index,
  tokenizer(text) {
    const found = /^\[(\d{1,3})\](?![(:])/.exec(text);
    return found ? { type: "citation", raw: found[0], n: found[1] } : undefined;
  },
  renderer: ({ n }) => `<button type="button" class="cite" data-cite="${String(n)}">${String(n)}</button>`,
};

/** A citation and the word that it must not be parted from by the end of a line. */
const LAST_WORD = /(?:&#?\w+;|[^\s<>&;]){1,24} <button type="button" class="cite" [^>]*>\d+<\/button>/g;

const marked = new Marked({
  gfm: true,
  breaks: true,
  extensions: [citation],
  renderer: {
    html: ({ text }) => escaped(text),
    image: ({ text }) => escaped(text),
    heading({ tokens, depth }) {
      const level = Math.min(depth + 2, 6);
      return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>`;
    },
    checkbox: ({ checked }) => (checked ? "☑ " : "☐ "),
  },
});

const purifier = DOMPurify(window);
purifier.addHook("afterSanitizeAttributes", (node) => {
  if (node.tagName === "A") {
    const href = safeLink(node.getAttribute("href"));
    if (href === null) return node.replaceWith(...node.childNodes);
    node.setAttribute("href", href);
    node.setAttribute("target", "_blank");
    node.setAttribute("rel", "noopener noreferrer");
  }
  if (node.tagName === "BUTTON" && !/^\d{1,3}$/.test(node.getAttribute("data-cite") ?? "")) node.remove();
});

/** Where a page takes no other markup, one that it trusts. */
export function markdown(text: string): string {
  const cut = text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}…` : text;
  const html = marked.parse(cut, { async: false }).replace(LAST_WORD, '<span class="together">$&</span>');
  const safe: unknown = purifier.sanitize(html, {
    ALLOWED_TAGS: TAGS.split(" "),
    ALLOWED_ATTR: ["href", "class", "type", "start", "align"],
    ADD_ATTR: ["data-cite"],
    ALLOW_DATA_ATTR: false,
    RETURN_TRUSTED_TYPE: true,
  });
  return safe as string;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
}
