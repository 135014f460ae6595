"""Extracts of the cadastre as a service could send them, in all shapes: for tests that hold for every one.

What is drawn survives the way through a document: texts are trimmed and without markup, numbers have one
decimal, and every document is named by a restriction, the documents in the order in which they are named.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, TypeVar

from contracts.oereb import (
    DocumentKind,
    ExtractContent,
    LawStatus,
    LegalDocument,
    Notice,
    Office,
    Restriction,
    RestrictionMap,
    Theme,
)
from hypothesis import strategies as st

T = TypeVar("T")

THEMES = tuple(
    Theme(code=code, title=title, sub_code=sub_code)
    for code, title, sub_code in (
        ("ch.Nutzungsplanung", "Nutzungsplanung", None),
        ("ch.Nutzungsplanung", "Grundnutzung", "ch.SO.NutzungsplanungGrundnutzung"),
        ("ch.Nutzungsplanung", "Überlagernde Festlegungen", "ch.SO.NutzungsplanungUeberlagernd"),
        ("ch.BelasteteStandorte", "Kataster der belasteten Standorte", None),
        ("ch.Grundwasserschutzzonen", "Grundwasserschutzzonen", None),
        ("ch.Laermempfindlichkeitsstufen", "Lärmempfindlichkeitsstufen", None),
        ("ch.StatischeWaldgrenzen", "Waldgrenzen", None),
        ("ch.Waldabstandslinien", "Waldabstandslinien", None),
        ("ch.SO.Einzelschutz", "Einzelschutz", None),
    )
)
TYPES = ("Wohnzone W2", "Gewerbezone", "Schutzzone S3", "Stufe II", "Linie", "Punkt", "Sondernutzung")


def build(model: Callable[..., T], **fields: st.SearchStrategy[Any]) -> st.SearchStrategy[T]:
    """Not `st.builds`, which would add values of its own under the JSON names."""
    return st.fixed_dictionaries(fields).map(lambda values: model(**values))


words = st.text(st.sampled_from("abcäöüABÄ123 -"), min_size=1, max_size=24).map(
    lambda text: " ".join(text.split()) or "a"
)
urls = st.sampled_from(["https://geo.so.ch/a", "https://www.fedlex.admin.ch/eli/cc/1?x=1&y=2"])
numbers = st.integers(1, 999_999).map(lambda tenths: tenths / 10)
moments = st.datetimes(datetime(2020, 1, 1), datetime(2029, 1, 1), timezones=st.just(UTC)).map(
    lambda moment: moment.replace(microsecond=0)
)
offices = build(Office, name=words, url=st.none() | urls)
law_statuses = st.none() | st.sampled_from(LawStatus)
documents = build(
    LegalDocument,
    kind=st.none() | st.sampled_from(DocumentKind),
    title=words,
    abbreviation=st.none() | words,
    official_number=st.none() | words,
    articles=st.lists(words, max_size=2).map(tuple),
    url=st.none() | urls,
    law_status=law_statuses,
    office=st.none() | offices,
)
maps = build(RestrictionMap, wms_url=st.none() | urls, legend_url=st.none() | urls, opacity=st.none())
notices = build(Notice, title=words, text=words)
_sizes: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.just({}),
    st.fixed_dictionaries({"area_m2": numbers, "percent": st.integers(1, 1000).map(lambda n: n / 10)}),
    st.fixed_dictionaries({"length_m": numbers}),
    st.fixed_dictionaries({"points": st.integers(1, 9)}),
)


@st.composite
def restrictions(draw: st.DrawFn, themes: st.SearchStrategy[Theme], pool: int) -> Restriction:
    """Of one of the themes, with documents by their place in a pool of so many."""
    mentioned = st.lists(st.integers(0, pool - 1), unique=True, max_size=3) if pool else st.just([])
    return Restriction(
        theme=draw(themes),
        text=draw(st.sampled_from(TYPES) | words),
        type_code=draw(st.none() | words),
        law_status=draw(law_statuses),
        symbol=draw(st.none() | urls),
        map=draw(st.none() | maps),
        office=draw(st.none() | offices),
        documents=tuple(draw(mentioned)),
        **draw(_sizes),
    )


@st.composite
def contents(draw: st.DrawFn, *, contradictory: bool = True) -> ExtractContent:
    """Any extract. A contradictory one may have a theme in two lists, or restrictions that no list knows."""
    some = st.lists(st.sampled_from(THEMES), max_size=4, unique=not contradictory)
    concerned, not_concerned, without_data = draw(some), draw(some), draw(some)
    if not contradictory:
        not_concerned = _of_other_codes(not_concerned, concerned)
        without_data = _of_other_codes(without_data, [*concerned, *not_concerned])
    pool = draw(st.lists(documents, max_size=4, unique=True))
    known = st.sampled_from(THEMES if contradictory else concerned or THEMES)
    most = 6 if contradictory or concerned else 0
    drawn = draw(st.lists(restrictions(known, len(pool)), max_size=most))
    named = list(dict.fromkeys(n for restriction in drawn for n in restriction.documents))
    return ExtractContent(
        created_at=draw(st.none() | moments),
        updated_at=draw(st.none() | moments),
        concerned=tuple(concerned),
        not_concerned=tuple(not_concerned),
        without_data=tuple(without_data),
        restrictions=tuple(
            each.model_copy(update={"documents": tuple(named.index(n) for n in each.documents)})
            for each in drawn
        ),
        documents=tuple(pool[n] for n in named),
        authority=draw(st.none() | offices),
        information=draw(st.lists(notices, max_size=1).map(tuple)),
        disclaimers=draw(st.lists(notices, max_size=1).map(tuple)),
        glossary=draw(st.lists(notices, max_size=2).map(tuple)),
    )


def _of_other_codes(themes: list[Theme], than: list[Theme]) -> list[Theme]:
    return [theme for theme in themes if theme.code not in {other.code for other in than}]
