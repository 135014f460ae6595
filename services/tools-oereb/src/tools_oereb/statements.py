"""The sentences about an extract that has been read, each with what it claims, so that this can be checked.

An extract says what it says: in force, planned, without data, not concerned. No sentence makes more of it.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from itertools import islice

from contracts.items import OerebExtract
from contracts.markdown import line as one_line
from contracts.oereb import ExtractContent, LawStatus, LegalDocument, Restriction, Theme
from servicekit.days import day_in_zurich

from tools_oereb.standing import Standing, ThemeFacts, facts_of, title_of
from tools_oereb.texts import text

_MAX_RESTRICTIONS = 3
"""A theme and a law status: who wants to know more reads the extract."""
_MAX_AREAS = 3
_MAX_THEMES = 25
_MAX_TITLES = 12
_MAX_WORDS_CHARS = 140
_TOLD: tuple[tuple[LawStatus | None, ...], ...] = (
    (LawStatus.IN_FORCE, None),
    (LawStatus.CHANGE_WITH_PRE_EFFECT, LawStatus.CHANGE_WITHOUT_PRE_EFFECT),
)
"""Which law statuses share a line."""
PLANNED = frozenset(_TOLD[1])


@dataclass(frozen=True)
class Statement:
    """A sentence of the catalogue, and the themes, restrictions and documents about which it is."""

    key: str
    themes: tuple[Theme, ...] = ()
    restrictions: tuple[Restriction, ...] = ()
    documents: tuple[LegalDocument, ...] = ()
    values: Mapping[str, object] = field(default_factory=dict)

    def __str__(self) -> str:
        return text(self.key, **self.values)


@dataclass(frozen=True)
class Line:
    """What is said on one line, about one theme where there is a `theme`."""

    statements: tuple[Statement, ...]
    theme: Theme | None = None

    def __str__(self) -> str:
        if self.theme is None:
            return " ".join(map(str, self.statements))
        said = "; ".join(map(str, self.statements))
        return text("of_theme", theme=short(title_of(self.theme)), said=said)


def say(key: str, *themes: Theme, **values: object) -> Line:
    """A line of one sentence about these themes."""
    return Line((Statement(key, themes, values=values),))


def summary(extract: OerebExtract, content: ExtractContent) -> tuple[Line, ...]:
    """What is in an extract: whose it is, theme by theme, what is not known, from when it is, where it is."""
    return (
        say("ready", egrid=extract.egrid),
        *_parcel(extract),
        *sample(extract),
        *overview(content),
        *origin(extract, content),
        *links(extract),
    )


def overview(content: ExtractContent) -> tuple[Line, ...]:
    """All themes: two lines for each that is concerned, the others together."""
    facts = facts_of(content)
    standings = {fact.standing for fact in facts}
    if not facts:
        return (say("nothing_listed"),)
    if standings == {Standing.NOT_CONCERNED}:
        return (say("all_clear", *themes_of(facts), count=len(facts)),)
    if standings == {Standing.WITHOUT_DATA}:
        return (say("not_released", *themes_of(facts)),)
    return about(facts, name_not_concerned=False)


def about(facts: Sequence[ThemeFacts], *, name_not_concerned: bool = True) -> tuple[Line, ...]:
    """What is known of these themes."""
    single = [fact for fact in facts if fact.standing not in (Standing.NOT_CONCERNED, Standing.WITHOUT_DATA)]
    lines = [line for fact in single[:_MAX_THEMES] for line in theme_lines(fact)]
    if len(single) > _MAX_THEMES:
        lines.append(say("more_themes", count=len(single) - _MAX_THEMES))
    if unknown := _themes_that_are(Standing.WITHOUT_DATA, facts):
        lines.append(say("without_data", *unknown, themes=titles(unknown)))
    if clear := _themes_that_are(Standing.NOT_CONCERNED, facts):
        named = titles(clear) if name_not_concerned else _themes(len(clear))
        lines.append(say("not_concerned", *clear, themes=named))
    return tuple(lines)


def theme_lines(fact: ThemeFacts) -> tuple[Line, ...]:
    """One theme in two lines at most: what is in force, and what is planned."""
    theme, restrictions = fact.theme, fact.restrictions
    if fact.standing is not Standing.CONCERNED:
        key = f"{fact.standing}_by" if restrictions else f"{fact.standing}"
        values = {"restrictions": _listed(restrictions)} if restrictions else {}
        return (Line((Statement(key, (theme,), restrictions, values=values),), theme),)
    lines = []
    for told in _TOLD:
        statements = []
        for status in told:
            alike = tuple(each for each in restrictions if each.law_status is status)
            if alike:
                statements.append(_with_status(status, theme, alike))
        if statements:
            lines.append(Line(tuple(statements), theme))
    return tuple(lines)


def themes_of(facts: Iterable[ThemeFacts]) -> tuple[Theme, ...]:
    return tuple(fact.theme for fact in facts)


def sample(extract: OerebExtract) -> tuple[Line, ...]:
    is_sample = extract.provenance is not None and extract.provenance.sample
    return (say("sample"),) if is_sample else ()


def origin(extract: OerebExtract, content: ExtractContent) -> tuple[Line, ...]:
    """Of which day the extract is, and whose it is, as far as that is known."""
    statements = []
    if content.created_at is not None:
        statements.append(Statement("created", values={"day": _day(content.created_at)}))
    if content.updated_at is not None:
        statements.append(Statement("surveyed", values={"day": _day(content.updated_at)}))
    if extract.provenance is not None and extract.provenance.source:
        statements.append(Statement("extract_source", values={"source": extract.provenance.source}))
    return (Line(tuple(statements)),) if statements else ()


def parcel_name(extract: OerebExtract) -> str:
    """`Liegenschaft 198 in Messen`; its EGRID where number or municipality is not known."""
    kind = extract.kind or text("kind_unknown")
    if not extract.number or not extract.municipality:
        return text("parcel_of_egrid", kind=kind, egrid=extract.egrid)
    return text("parcel_name", kind=kind, number=extract.number, municipality=extract.municipality)


def area(value_m2: float) -> str:
    return text("area", area=_number(value_m2)) if value_m2 >= 0.05 else text("area_less")


def status_of(status: LawStatus | None) -> str:
    return text(f"status_{status or 'unknown'}")


def short(words: str) -> str:
    return one_line(words, _MAX_WORDS_CHARS)


def _with_status(status: LawStatus | None, theme: Theme, restrictions: tuple[Restriction, ...]) -> Statement:
    listed = _listed(restrictions)
    return Statement(
        f"restrictions_{status or 'unknown'}", (theme,), restrictions, values={"restrictions": listed}
    )


def _parcel(extract: OerebExtract) -> tuple[Line, ...]:
    facts = [parcel_name(extract)] if extract.number and extract.municipality else []
    if extract.area_m2:
        facts.append(area(extract.area_m2))
    return (say("parcel", facts=", ".join(facts)),) if facts else ()


def links(extract: OerebExtract) -> Iterable[Line]:
    if extract.pdf_url:
        yield say("pdf", url=extract.pdf_url)
    if extract.map_url:
        yield say("map", url=extract.map_url)


def _themes_that_are(standing: Standing, facts: Iterable[ThemeFacts]) -> tuple[Theme, ...]:
    return tuple(fact.theme for fact in facts if fact.standing is standing)


def titles(themes: Iterable[Theme]) -> str:
    return and_more([short(title) for title in dict.fromkeys(map(title_of, themes))], _MAX_TITLES)


def _themes(count: int) -> str:
    return text("one_theme") if count == 1 else text("several_themes", count=count)


def _listed(restrictions: Sequence[Restriction]) -> str:
    """What takes most of the parcel first; some services list every area of a restriction by itself."""
    alike: defaultdict[str, list[Restriction]] = defaultdict(list)
    for each in sorted(restrictions, key=_extent, reverse=True):
        alike[short(each.text) or each.type_code or text("unnamed")].append(each)
    return and_more([_restriction(name, areas) for name, areas in alike.items()], _MAX_RESTRICTIONS)


def _extent(restriction: Restriction) -> tuple[float, ...]:
    return restriction.percent or 0, restriction.area_m2 or 0, restriction.length_m or 0


def and_more(listed: Sequence[str], most: int, joint: str = ", ") -> str:
    shown = joint.join(islice(listed, most))
    return text("and_more", listed=shown, count=len(listed) - most) if len(listed) > most else shown


def _restriction(name: str, areas: Sequence[Restriction]) -> str:
    sizes = [size for each in areas if (size := ", ".join(sizes_of(each)))]
    return text("restriction", name=name, size=and_more(sizes, _MAX_AREAS, " + ")) if sizes else name


def sizes_of(restriction: Restriction) -> Iterable[str]:
    if restriction.percent is not None and restriction.percent >= 0:
        yield _percent(restriction.percent)
    if restriction.area_m2 is not None and restriction.area_m2 >= 0:
        yield area(restriction.area_m2)
    if restriction.length_m is not None and restriction.length_m >= 0:
        yield text("length", length=_number(restriction.length_m))
    if restriction.points is not None and restriction.points > 0:
        yield text("one_point") if restriction.points == 1 else text("points", count=restriction.points)


def _percent(value: float) -> str:
    """Rounded it must not become the whole, nor nothing."""
    if 0 < value < 0.05:
        return text("percent_less")
    if 99.95 <= value < 100:
        return text("percent_almost")
    return text("percent", percent=_number(value))


def _number(value: float) -> str:
    """In the Swiss way, with one decimal at most: 13'456 or 10.3."""
    written = f"{value:,.1f}".replace(",", "'")
    return written.removesuffix(".0")


def _day(moment: datetime) -> str:
    return f"{_date(moment):%-d.%-m.%Y}"


def _date(moment: datetime) -> date:
    """In Zurich; services write local time where they name no zone."""
    try:
        return day_in_zurich(moment) if moment.tzinfo else moment.date()
    except OverflowError:
        return moment.date()
