"""The one sanitiser: what strangers and models write, without anything in it that is active. Pure.

What comes out has no image, no HTML and no link, except links to allowed hosts and to sources of an answer;
also after it is put beside other text, cut into pieces, or read as Markdown although it was not meant to be.
"""

import html
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated

from contracts.urls import is_of
from pydantic import AfterValidator

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

DEFAULT_HOSTS = ("so.ch", "admin.ch")
"""The canton and the federation, whose data the answers are about."""
LIMIT_CHARS = 1_000
"""A link, a tag or an address that is longer is none. So much is held back of a stream at most."""
SENTENCE_CHARS = 400
"""Two long sentences; who goes on is cut off."""
_MAX_DEPTH = 8
"""Brackets within brackets; nobody nests links."""

_SUSPECT = re.compile(r"!?\[|\](?=[(:])|<(?=[A-Za-z/!?])|https?://|:(?=//)|www\.", re.IGNORECASE)
_MARKS = re.compile(r"[\[\]<&:]")
_PERHAPS_SUSPECT = re.compile(r"(?:[!<\]]|h|ht|htt|https?|(?:https?)?:/?|w{1,3})\Z", re.IGNORECASE)
_JOINED = re.compile(
    r"(?:\]\0[(:]|<\0[a-z/!?]|!\0\[|ht?\0t|htt\0p|http\0[s:]|https\0:|:/?\0/"
    r"|ww?\0w|www\0\.|&[#\w]{0,32}\0[\w#;]|\[[\d\s,;^–-]*\0[\d\s,;^\]–-])\Z",
    re.IGNORECASE,
)
"""What was harmless on both sides of a thing that was taken out, but is not without it."""
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")
"""Also what hides or reorders text."""
_BRACKET = re.compile(r"[\[\]]")
_BRACKETS = re.compile(r"[\[\]<>]")
_NUMBERS = re.compile(r"\s*\^?\d{1,4}(?:\s*(?:[,;–-]|und)\s*\^?\d{1,4})*\s*")
_URL_END = re.compile(r"[\s<>\"»)\[\]`|\\]")
_URL_TAIL = ".,;:!?'*_~"
_URL = re.compile(r"[\w\-.~:/?#@!$&'*+,;=%]+")
_NO_PATH = re.compile(r"[a-z]{1,12}://[^/?#]*", re.IGNORECASE)
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_LINE_START = re.compile(r"[\s\d>*+.)(|-]*")
_SPACE = re.compile(r"\s*")
_SPACES = re.compile(r"\s")
_URL_AT_END = re.compile(r"://[^\s)]*\Z")
_TAIL_CHARS = 64
_ENTITY = re.compile(r"&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,31});", re.IGNORECASE)
_AMPERSANDS = re.compile(r"&(?:amp;)+", re.IGNORECASE)
_BLANKS = re.compile(r"[^\S\n]+")
_EMPHASIS = re.compile(r"[*`\\]+|~{2,}|(?<![^\W_])_+|_+(?![^\W_])")
_LINE_MARK = re.compile(r"^[^\S\n]*+(?:(?:#{1,6}|[-+>]|[-=_]{3,})(?:\s+|\Z))+", re.MULTILINE)
_UNTIDY = re.compile(r"[^\S\n ]|  |\A\s|\s\Z")

_hosts: tuple[str, ...] = DEFAULT_HOSTS


def allow_hosts(hosts: Iterable[str]) -> None:
    """Whom this process lets texts link to, with all hosts below; once, at its start."""
    global _hosts
    _hosts = tuple(hosts)


@dataclass(frozen=True)
class Links:
    """Where links may lead, beside the allowed hosts."""

    urls: frozenset[str] = frozenset()
    """The sources of an answer."""
    named: bool = True
    """Whether a link may have a text of its own. Where nobody reads Markdown it is the text alone."""

    def allow(self, url: str) -> bool:
        return _URL.fullmatch(url) is not None and (url in self.urls or is_of(url, _hosts))


_ALLOWED = Links()
_ADDRESSES_ONLY = Links(named=False)
References = Callable[[str], str]
"""What becomes of `[1, 2]`, by what is inside of the brackets."""


def prose(text: str, links: Links = _ALLOWED) -> str:
    """The same Markdown, sanitised. `prose(prose(x)) == prose(x)`; the time is linear in the length."""
    if _is_harmless(text) or not (_SUSPECT.search(text) or _CONTROL.search(text)):
        return text
    sanitiser = Sanitiser(links)
    return sanitiser.feed(text) + sanitiser.close()


def plain(text: str, urls: Iterable[str] = ()) -> str:
    """Text that is no Markdown, as a reader would see it: without tags, entities, and needless blanks.

    `urls`: addresses that it may name, beside those of allowed hosts.
    """
    if _is_harmless(text) and "  " not in text and text[:1] != " " and text[-1:] != " ":
        return text
    read = _decoded(text) if "&" in text else text
    known = frozenset(urls)
    read = prose(read, Links(known, named=False) if known else _ADDRESSES_ONLY)
    return _BLANKS.sub(" ", read).strip() if _UNTIDY.search(read) else read


def line(text: str, max_chars: int) -> str:
    """The same on one line, cut at a word."""
    words = " ".join(plain(text).split())
    if len(words) <= max_chars:
        return words
    return words[: max_chars - 1].rpartition(" ")[0][: max_chars - 1] + "…"


def sentence(text: str) -> str:
    """One line of plain text for readers of no Markdown, at most `SENTENCE_CHARS` long."""
    words = plain(text)
    if _EMPHASIS.search(words) or _LINE_MARK.search(words):
        words = _LINE_MARK.sub("", _EMPHASIS.sub("", words))
    return line(words, SENTENCE_CHARS)


Prose = Annotated[str, AfterValidator(prose)]
"""Markdown from outside."""
Words = Annotated[str, AfterValidator(lambda text: plain(text))]
"""Plain text from outside: labels, titles, names."""
Sentence = Annotated[str, AfterValidator(sentence)]
"""A reason in words, from outside."""


def _is_harmless(text: str) -> bool:
    """Whether a text is seen at once to have nothing to look at, as almost all labels and names have."""
    return text.isprintable() and _MARKS.search(text) is None and "www." not in text.lower()


def _decoded(text: str) -> str:
    for _ in range(4):
        read = _CONTROL.sub("", _AMPERSANDS.sub("&", text))
        read = _ENTITY.sub(lambda found: html.unescape(found.group()), read)
        if read == text:
            return text
        text = read
    # Written so that it would never end.
    return _ENTITY.sub(lambda found: f"& {found.group()[1:]}", _CONTROL.sub("", text))


class Sanitiser:
    """Sanitises a text that comes in pieces: however it is cut, the same comes out.

    Text passes as soon as it cannot be the beginning of something to look at.
    """

    def __init__(self, links: Links = _ALLOWED, references: References | None = None) -> None:
        self._links = links
        self._references = references
        self._waiting = ""
        self._said: list[str] = []
        self._tail = ""
        """The end of what has passed."""
        self._is_cut = False
        """Something was taken out just behind it."""
        self._in_url = False
        """Within an address that is too long to be one."""
        self._ends_in_url = False
        """What has passed ends in an address that is allowed."""
        self._may_define = False
        """A bracket stands where a definition of a link could begin."""

    def feed(self, text: str) -> str:
        self._waiting += _CONTROL.sub("", text)
        return self._pass_on(final=False)

    def close(self) -> str:
        """What was held back."""
        return self._pass_on(final=True)

    def _pass_on(self, *, final: bool) -> str:
        text, at = self._waiting, 0
        while at < len(text):
            if self._in_url:
                end = _URL_END.search(text, at)
                self._in_url = end is None
                at = end.start() if end else len(text)
                continue
            found = _SUSPECT.search(text, at)
            if found is None:
                perhaps = None if final else _PERHAPS_SUSPECT.search(text, max(at, len(text) - 8))
                end_at = perhaps.start() if perhaps else len(text)
                self._say(text[at:end_at])
                at = end_at
                break
            self._say(text[at : found.start()])
            at = found.start()
            after = self._after(text, at, found.group(), final=final)
            if after is None:
                break
            at = after
        self._waiting = text[at:]
        said = "".join(self._said)
        self._said.clear()
        return said

    def _after(self, text: str, at: int, mark: str, *, final: bool) -> int | None:
        """Says what remains of the suspect at this place. Where it ends; None when that has not come."""
        if mark.endswith("["):
            return self._bracket(text, at, len(mark), final=final)
        if mark == "]":
            definition = text[at + 1] == ":"
            self._say("] " if self._may_define or not definition else "]")
            return at + 1
        if mark == ":":
            # Of no scheme that anybody may follow.
            self._say(": ")
            return at + 1
        if mark == "<":
            return self._tag(text, at, final=final)
        return self._url(text, at, final=final)

    def _bracket(self, text: str, at: int, mark: int, *, final: bool) -> int | None:
        until, is_all = _window(text, at, final=final)
        close = _closing(text, at + mark, until)
        if close is None or (close < 0 and is_all):
            return self._open(text, at, mark)
        if close < 0 or (close + 1 == len(text) and not final):
            return None
        if text[close + 1 : close + 2] == "(":
            end = _link_end(text, close + 1, until)
            if end is not None and end > 0:
                self._link(text[at:end])
                return end
            if end is None and not is_all:
                return None
        if self._references and _NUMBERS.fullmatch(text, at + mark, close):
            self._replace(self._references(text[at + mark : close]))
            return close + 1
        return self._open(text, at, mark)

    def _open(self, text: str, at: int, mark: int) -> int:
        """A bracket that is only a bracket."""
        is_first = _LINE_START.fullmatch(self._tail.rpartition("\n")[2]) is not None
        self._say(text[at : at + mark])
        self._may_define |= is_first
        return at + mark

    def _link(self, source: str) -> None:
        """A link or an image in the words of the parser."""
        tokens = _parser().parseInline(source)[0].children or []
        words = prose(_BRACKETS.sub("", "".join(map(_words, tokens))), _ADDRESSES_ONLY)
        is_link = tokens[0].type == "link_open" and tokens[-1].type == "link_close"
        url = str(tokens[0].attrs.get("href", "")) if is_link else ""
        if self._references and _NUMBERS.fullmatch(words):
            words = self._references(words)
        elif self._links.named and words.strip() and self._links.allow(url):
            words = f"[{words}]({url})"
        self._replace(words)

    def _tag(self, text: str, at: int, *, final: bool) -> int | None:
        from markdown_it.common.html_re import HTML_TAG_RE
        from markdown_it.rules_inline.autolink import AUTOLINK_RE, EMAIL_RE

        until, is_all = _window(text, at, final=final)
        tag = HTML_TAG_RE.match(text, at, until)
        if tag is not None:
            self._replace("")
            return tag.end()
        end = text.find(">", at, until)
        inside = text[at + 1 : end] if end > 0 else ""
        if AUTOLINK_RE.search(inside) or EMAIL_RE.search(inside):
            # An address without its brackets is looked at again.
            self._replace(inside if EMAIL_RE.search(inside) else prose(inside, self._links))
            return end + 1
        if not is_all:
            return None
        # A tag that never ends is no markup yet, but would be when something follows it.
        self._say("< ")
        return at + 1

    def _url(self, text: str, at: int, *, final: bool) -> int | None:
        end = _URL_END.search(text, at, at + LIMIT_CHARS)
        if end is None and len(text) - at < LIMIT_CHARS and not final:
            return None
        end_at = end.start() if end else min(len(text), at + LIMIT_CHARS)
        self._in_url = end is None and len(text) - at >= LIMIT_CHARS
        url = text[at:end_at].rstrip(_URL_TAIL)
        if not self._in_url and self._links.allow(url):
            # Some readers of Markdown take more for the address than we do: it must not change the host.
            self._say(f"{url}/" if _NO_PATH.fullmatch(url) else url)
            self._ends_in_url = True
            return at + len(url)
        self._replace("")
        return end_at

    def _replace(self, text: str) -> None:
        """Say something else than what stood there."""
        self._is_cut = True
        self._say(text)
        self._is_cut = True
        self._ends_in_url |= _URL_AT_END.search(text) is not None

    def _say(self, text: str) -> None:
        if not text:
            return
        if self._is_cut:
            self._is_cut = False
            longer_url = self._ends_in_url and not text[0].isspace()
            if longer_url or _JOINED.search(f"{self._tail}\0{text[0]}"):
                text = f" {text}"
        if self._may_define:
            before = self._tail[-8:]
            ends = (found.end() for found in _BLANK_LINE.finditer(before + text))
            self._may_define = all(end <= len(before) for end in ends)
        if self._ends_in_url and _SPACES.search(text):
            self._ends_in_url = False
        self._said.append(text)
        self._tail = (self._tail + text[-_TAIL_CHARS:])[-_TAIL_CHARS:]


def _window(text: str, at: int, *, final: bool) -> tuple[int, bool]:
    """How far something that begins here can reach, and whether all of that has come."""
    limit = at + LIMIT_CHARS
    blank = _BLANK_LINE.search(text, at, limit)
    if blank is not None:
        return blank.start(), True
    return min(limit, len(text)), final or len(text) >= limit


def _closing(text: str, at: int, until: int) -> int | None:
    """Where the bracket that is open at this place closes; -1 where that is not to be seen, None never."""
    depth = 1
    for found in _BRACKET.finditer(text, at, until):
        depth += 1 if found.group() == "[" else -1
        if depth == 0:
            return found.start()
        if depth > _MAX_DEPTH:
            return None
    return -1


def _link_end(text: str, at: int, until: int) -> int | None:
    """The end of `(address "title")`; 0 when it is something else, None when it may still become it."""
    from markdown_it.helpers import parseLinkDestination, parseLinkTitle

    at = _past_space(text, at + 1, until)
    destination = parseLinkDestination(text, at, until)
    if destination.ok:
        at = destination.pos
    elif at < until and text[at] != ")":
        return None
    after = _past_space(text, at, until)
    if after > at:
        title = parseLinkTitle(text, after, until)
        if title.ok:
            after = _past_space(text, title.pos, until)
        elif title.can_continue:
            return None
    if after >= until:
        return None
    return after + 1 if text[after] == ")" else 0


def _past_space(text: str, at: int, until: int) -> int:
    found = _SPACE.match(text, at, until)
    return found.end() if found else at


@lru_cache(maxsize=1)
def _parser() -> "MarkdownIt":
    # Imported when the first link comes: most processes never see one.
    from markdown_it import MarkdownIt

    parser = MarkdownIt("zero", {"html": True}).enable(["link", "image", "html_inline", "autolink"])
    # Every address makes a link: what may stay is decided here.
    parser.validateLink = lambda url: True  # type: ignore[method-assign]
    return parser


def _words(token: "Token") -> str:
    """What a reader sees of it."""
    if token.type == "html_inline":
        return ""
    return "".join(map(_words, token.children)) if token.children else token.content
