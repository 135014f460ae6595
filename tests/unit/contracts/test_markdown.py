"""Whatever a stranger or a model writes, a reader of Markdown finds nothing active in it."""

import re
import sys
from collections.abc import Callable, Iterator
from itertools import pairwise
from urllib.parse import urlsplit

import pytest
from contracts import markdown
from contracts.items import Relevance
from contracts.markdown import (
    DEFAULT_HOSTS,
    LIMIT_CHARS,
    SENTENCE_CHARS,
    Links,
    Sanitiser,
    line,
    plain,
    prose,
    sentence,
)
from contracts.research import TrackedDocument
from contracts.urls import is_of
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token
from volume import examples

SOURCE = "http://ratsinfo.example/doc?id=1"
OF_ANSWER = Links(urls=frozenset({SOURCE}))
_RENDERER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
_BARE = re.compile(r"(?:https?|ftp)://[^\s<]*|www\.[^\s<]+", re.IGNORECASE)
"""What renderers of other dialects make a link of."""
_ADDRESS = re.compile(r"[\w\-.~:/?#@!$&'*+,;=%]+")


def _all(tokens: list[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from _all(token.children or [])


def active(text: str, links: Links = OF_ANSWER) -> list[str]:
    """What a renderer would load, run or open."""
    found = []
    for token in _all(_RENDERER.parse(text)):
        if token.type in ("image", "html_block", "html_inline"):
            found.append(token.type)
        if token.type == "link_open" and not links.allow(str(token.attrs["href"])):
            found.append(str(token.attrs["href"]))
    for address in _BARE.findall(text):
        bare = _ADDRESS.match(address)
        path = urlsplit(address).path
        if not (bare and path.startswith("/") and links.allow(bare[0].rstrip(".,;:!?'*_~"))):
            found.append(address)
    return found


CASES = [
    ("Siehe [Bericht](https://evil.example/x).", "Siehe Bericht."),
    ("Siehe [Karte](https://geo.so.ch/map/?t=default).", "Siehe [Karte](https://geo.so.ch/map/?t=default)."),
    ('[Karte](https://geo.so.ch/map "Titel")', "[Karte](https://geo.so.ch/map)"),
    (f"[Quelle]({SOURCE})", f"[Quelle]({SOURCE})"),
    ("[x](http://geo.so.ch/)", "x"),
    ("[x](https://geo.so.ch.evil.example/)", "x"),
    ("[x](https://geo.so.ch@evil.example/)", "x"),
    ("[x](https://notso.ch/)", "x"),
    ("[x](javascript:alert(1))", "x"),
    ("[x](&#106;avascript:alert(1))", "x"),
    ("[x](java\\script:alert(1))", "x"),
    ("[x](data:text/html;base64,PHNjcmlwdD4=)", "x"),
    ("[x](\n<javascript:alert(1)>\n)", "x"),
    ("[a [b](https://evil.example) c](https://evil.example)", "a b c()"),
    ("![Karte](https://evil.example/x.png?q=secret)", "Karte"),
    ("[![a](https://evil.example/i)](https://evil.example)", "a"),
    ("![a][x]\n\n[x]: https://evil.example/i", "![a][x]\n\n[x] : "),
    ("[a][x]\n\n[x]:\n  javascript:alert(1)", "[a][x]\n\n[x] :\n  javascript:alert(1)"),
    ("> 1. [x]: javascript:alert(1)\n\n[x]", "> 1. [x] : javascript:alert(1)\n\n[x]"),
    ("Gemäss [1]: Das gilt.", "Gemäss [1]: Das gilt."),
    ("<https://evil.example> und <https://geo.so.ch/a>", " und https://geo.so.ch/a"),
    ("<javascript:alert(1)>", "javascript:alert(1)"),
    ("https://geo.so.ch/<b>x", "https://geo.so.ch/ x"),
    ("<img src=x onerror=alert(1)>", ""),
    ("<img src=x onerror=alert(1)", "< img src=x onerror=alert(1)"),
    ("<script>alert(1)</script>", "alert(1)"),
    ("<!-- a\n\nb -->", "< !-- a\n\nb -->"),
    ("htt<b>ps://evil.example/a", "htt ps: //evil.example/a"),
    ("www<b></b>.evil.example", "www .evil.example"),
    ("[x]<b>(javascript:alert(1))", "[x] (javascript:alert(1))"),
    ("<<b>script>x", "< script>x"),
    ("Unter https://evil.example/a?b=c steht mehr.", "Unter  steht mehr."),
    ("Unter https://geo.so.ch/a?b=c.", "Unter https://geo.so.ch/a?b=c."),
    ('Siehe https://so.ch"@evil.example/.', 'Siehe https://so.ch/"@evil.example/.'),
    ("(Siehe https://so.ch).", "(Siehe https://so.ch/)."),
    ("ftp://evil.example/a", "ftp: //evil.example/a"),
    ("[Anmerkung] und [a](siehe unten)", "[Anmerkung] und [a] (siehe unten)"),
    ("1 < 2 und 3 > 2, a<5", "1 < 2 und 3 > 2, a<5"),
    ("`[x](javascript:alert(1))`", "`x`"),
    ("\u202eevil\u200b", "evil"),
    ("- a\n- **b**\n\n| c | d |\n|---|---|", "- a\n- **b**\n\n| c | d |\n|---|---|"),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_links_become_their_text_unless_they_are_allowed(text: str, expected: str) -> None:
    assert prose(text, OF_ANSWER) == expected
    assert active(expected) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<b>Bern</b> (BE)", "Bern (BE)"),
        ("a &lt;script&gt;x&lt;/script&gt; b", "a x b"),
        ("&amp;amp;lt;img src=x&gt;", ""),
        ("&&#35;60;img src=x>", ""),
        ("&l&#8203;t;b>", ""),
        ("Tiefe < 400 m & mehr", "Tiefe < 400 m & mehr"),
        ("eins \t zwei\nPDF: x ", "eins zwei\nPDF: x"),
        ("[Karte](https://geo.so.ch/)", "Karte"),
        ("Karte: https://geo.so.ch/a?b=1&amp;c=2", "Karte: https://geo.so.ch/a?b=1&c=2"),
        ("![x](https://evil.example/)", "x"),
    ],
)
def test_plain_text_is_what_a_reader_sees(text: str, expected: str) -> None:
    assert plain(text) == expected


_MARKS = """
[ ] ( ) ![ ]( ]: ][ < > </ <b> <img/src=x> <!-- --> ! : " ' ` ``` * _ ~~ \\ & ; &lt; &#91; &amp; lt; # | { }
> - 1. a x é h htt ps:// http :// ftp:// www . www. evil.example https://evil.example/i https://geo.so.ch/a
http://geo.so.ch javascript:alert(1) data:text/html,x //evil.example [x] [1] <javascript:x>
"""
_SPACED = [" ", "  ", "    ", "> ", "- ", "1. ", "[x]: ", "<a ", "<img src=x>", "\n", "\n\n", "\r", "\t"]
_PIECES = st.sampled_from([*_MARKS.split(), *_SPACED, SOURCE, "\u200b", "\u2028"])
TEXTS = st.lists(_PIECES, max_size=30).map("".join) | st.text(
    alphabet="[]()<>!:&;\\`\"'*\n ahtps/.w#x", max_size=60
)


@given(TEXTS)
@examples(600)
def test_a_renderer_finds_nothing_active_in_what_is_sanitised(text: str) -> None:
    assert active(prose(text, OF_ANSWER)) == []
    assert active(plain(text)) == []
    assert active(line(text, 40)) == []


@given(TEXTS, TEXTS, TEXTS)
@examples(300)
def test_nor_does_it_when_texts_are_put_together(one: str, two: str, three: str) -> None:
    together = f"{prose(one, OF_ANSWER)}\n\n- {plain(two)} {prose(three, OF_ANSWER)}"
    assert active(together) == []


@given(TEXTS)
@examples(600)
@example("&<b></b>lt;b>")
def test_sanitising_twice_changes_nothing(text: str) -> None:
    once = prose(text, OF_ANSWER)
    assert prose(once, OF_ANSWER) == once
    assert plain(plain(text)) == plain(text)


@given(st.lists(_PIECES, max_size=30), st.integers(1, 7))
@examples(400)
def test_how_a_text_is_cut_into_pieces_changes_nothing(pieces: list[str], size: int) -> None:
    text = "".join(pieces)
    for cut in (pieces, [text[n : n + size] for n in range(0, len(text), size)]):
        sanitiser = Sanitiser(OF_ANSWER)
        assert "".join([*map(sanitiser.feed, cut), sanitiser.close()]) == prose(text, OF_ANSWER)


@given(st.lists(_PIECES, max_size=30))
def test_what_passes_while_a_text_comes_is_never_active(pieces: list[str]) -> None:
    sanitiser, said = Sanitiser(OF_ANSWER), ""
    for piece in pieces:
        said += sanitiser.feed(piece)
        assert active(said) == []


_USES = [
    "[x][ref]",
    "[ref][]",
    "[ref]",
    "![x][ref]",
    "[**x**][ref]",
    "[x] [ref]",
    "[x]\n[ref]",
    "[^1]",
    "[1]",
    "[x][1]",
]
_NAMES = ["ref", "REF", " ref ", "^1", "1", "r\\ef", "**x**"]
_TARGETS = [
    "https://evil.example/a",
    "HTTPS://EVIL.example",
    "<https://evil.example/a b>",
    "//evil.example/a",
    "javascript:alert(1)",
    "<mailto:a@evil.example>",
    "www.evil.example",
    "geo.so.ch@evil.example",
    "evil",
]
_DEFINITIONS = st.builds(
    "{}[{}]{}{}{}".format,
    st.sampled_from(["", "   ", "> ", "- ", "1. ", "> - ", "a ", "\t", "| "]),
    st.sampled_from(_NAMES),
    st.sampled_from([":", ": ", ":\n", ":\n  ", " :", "<b>:", "\u200b:"]),
    st.sampled_from(_TARGETS),
    st.sampled_from(["", ' "t"', "\n'a\nb'", " (t)", ' "']),
)
_BARE_ONES = st.builds(
    "{}{}{}".format,
    st.sampled_from(["", "<", "`", "«", '"', "]("]),
    st.sampled_from(_TARGETS),
    st.sampled_from(["", ">", "`", "»", '"', ")"]),
)
REFERRING = st.lists(
    st.tuples(_DEFINITIONS | _BARE_ONES | st.sampled_from(_USES), st.sampled_from(["\n\n", "\n", " ", ""])),
    max_size=8,
).map(lambda parts: "".join(part + gap for part, gap in parts))


@given(REFERRING, st.data())
@examples(600)
def test_no_address_comes_by_reference_however_the_text_is_cut(text: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=6)))
    bounds = [0, *cuts, len(text)]
    pieces = [text[begin:end] for begin, end in pairwise(bounds)]
    for cut in (pieces, [*text]):
        sanitiser, said = Sanitiser(OF_ANSWER), ""
        for piece in cut:
            said += sanitiser.feed(piece)
            assert active(said) == []
        said += sanitiser.close()
        assert active(said) == []
        assert said == prose(text, OF_ANSWER)
    assert not re.search(r"(?:https?:|ftp:)//evil|www\.evil", said, re.IGNORECASE)


@given(st.text(alphabet="abc äö.,-*_\n1é«»", max_size=200))
def test_text_without_anything_to_look_at_passes_unchanged_and_at_once(text: str) -> None:
    text += " "
    assert Sanitiser().feed(text) == text == prose(text)


@pytest.mark.parametrize("opening", ["[", "![", "[a](", "<a ", "https://", "[a](<", "<!--"])
def test_no_more_is_held_back_than_a_link_can_be_long(opening: str) -> None:
    sanitiser = Sanitiser()
    passed = sanitiser.feed(opening) + "".join(sanitiser.feed("x") for _ in range(LIMIT_CHARS))
    assert passed or sanitiser.feed(" x") == " x"
    assert len(sanitiser.feed("y" * 50) + sanitiser.close()) <= LIMIT_CHARS + 50


@given(st.text(), st.integers(2, 50))
def test_a_line_is_one_line_of_that_length(said: str, max_chars: int) -> None:
    made = line(said, max_chars)
    assert len(made) <= max_chars and "\n" not in made


_HOSTILE = [
    *(
        "[",
        "]",
        "![",
        "[]",
        "[[]",
        "[a](",
        "[a](b b) ",
        '[a](b"',
        "[a](<",
        "[a](b)",
        "[[a](b)](c)",
        "[a][b]",
        "[x]:",
    ),
    *(
        "<",
        "<a ",
        "<a b='",
        "<!--",
        "<b>",
        "`",
        "*",
        "_*`[",
        "\\",
        "(",
        ")",
        "h",
        " ",
        "\n[",
        "\n\n",
        "&amp;",
        "&lt;",
    ),
    *("https://a", "https://geo.so.ch/ ", "www.", "http://x ", "://", "x"),
]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Es nennt **30 Prozent**, siehe `§ 5` und ~~nichts~~.",
            "Es nennt 30 Prozent, siehe § 5 und nichts.",
        ),
        ("# Ja\n\n- [Mehr](https://evil.example/)\n- > a\n---", "Ja Mehr a"),
        ("![x](https://evil.example/i) <b>fett</b>\u202e\x07 &#42;&#42;so&#42;&#42;", "x fett so"),
        ("[x]**(javascript:alert(1))**", "x"),
        ("Ab 1. Januar, 2_000 a_b, _kursiv_ \\*", "Ab 1. Januar, 2_000 a_b, kursiv"),
        ("2 < 3\r\nund\tmehr", "2 < 3 und mehr"),
    ],
)
def test_a_sentence_is_one_line_of_text(text: str, expected: str) -> None:
    assert sentence(text) == expected


@given(TEXTS | st.text(max_size=60).map(lambda said: f"{said}* _{said}_ " * 20))
@examples(400)
def test_whoever_has_written_it(text: str) -> None:
    said = sentence(text)
    assert active(said) == []
    assert len(said) <= SENTENCE_CHARS and len(said.splitlines()) <= 1
    assert not {*"*`"} & {*said}
    assert sentence(said) == said
    for reason in (
        Relevance(id="d", label="d", is_relevant=True, reason=text).reason,
        TrackedDocument(id="d", name="d", url="", relevance_reason=text).relevance_reason,
    ):
        assert reason == said


def _steps(text: str, work: Callable[[str], object]) -> int:
    """Calls of functions, those of the interpreter too."""
    count = 0

    def counting(frame: object, event: str, arg: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(counting)
    try:
        work(text)
    finally:
        sys.setprofile(None)
    return count


def _streamed(text: str) -> None:
    sanitiser = Sanitiser()
    for n in range(0, len(text), 50):
        sanitiser.feed(text[n : n + 50])
    sanitiser.close()


@pytest.mark.parametrize("unit", _HOSTILE)
@pytest.mark.parametrize("work", [plain, _streamed])
def test_four_times_the_text_is_four_times_the_work(unit: str, work: Callable[[str], object]) -> None:
    prose("[a](b) <b>")
    few, many = (_steps((unit * length)[:length], work) for length in (1_500, 6_000))
    assert many <= 5 * few + 100


def test_hosts_are_whole_names() -> None:
    assert is_of("https://GEO.SO.CH/x", DEFAULT_HOSTS) and is_of("https://so.ch", DEFAULT_HOSTS)
    for url in (
        "https://xso.ch",
        "https://so.ch.evil.example",
        "http://so.ch",
        "https://a@so.ch",
        "https:/so.ch",
    ):
        assert not is_of(url, DEFAULT_HOSTS)


@given(st.text(st.characters(codec="utf-8") | st.sampled_from("[]<>&:/w. \n\u200b\u00a0htpW!"), max_size=40))
def test_what_is_seen_to_be_harmless_is_what_the_sanitiser_leaves_alone(text: str) -> None:
    sanitiser = markdown.Sanitiser()
    if markdown._is_harmless(text):
        assert sanitiser.feed(text) + sanitiser.close() == text
        assert markdown._BLANKS.sub(" ", text).strip() == markdown.plain(text)
