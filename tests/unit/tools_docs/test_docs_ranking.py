"""Ranking: pure, whatever the index."""

from datetime import date

import pytest
from german.dates import Period
from german.stems import stems
from hypothesis import given
from hypothesis import strategies as st

from tools_docs.corpus import DocumentFacts
from tools_docs.expansion import Expanded, Group
from tools_docs.gateways import Candidate, Sought, StoredPassage
from tools_docs.pruning import MAX_READ_PASSAGES, Lookup, looked_up
from tools_docs.question import Asked, Question
from tools_docs.ranking import MAX_PASSAGES, coverage_of, match, rank


def question(*words: str, **known: object) -> Expanded:
    """Every word stands for itself and is equally rare."""
    asked = tuple(Asked(word, stems(word)[0], 1.0) for word in words)
    groups = tuple(Group(a, {a.term: 1.0}, 2.0, 3, 2.0) for a in asked)
    by_term = {a.term: ((n, 1.0),) for n, a in enumerate(asked)}
    return Expanded(Question(asked, **known), groups, by_term, 2.0 * len(groups))  # type: ignore[arg-type]


def candidate(
    id: str, *texts: str, title: str = "", nearness: float | None = None, **facts: object
) -> Candidate:
    passages = tuple(
        StoredPassage(n, t, None, tuple(stems(t)), (), nearness=nearness) for n, t in enumerate(texts)
    )
    known = DocumentFacts(id, title or id, "u", **facts)  # type: ignore[arg-type]
    return Candidate(known, tuple(stems(title)), passages)


def ids(asked: Expanded, *candidates: Candidate) -> list[str]:
    return [found.facts.id for found in rank(asked, candidates, 10)]


def test_all_the_words_once_beat_one_of_them_often() -> None:
    often = candidate("often", "Wald Wald Wald Wald Wald Wald.")
    whole = candidate("whole", "Der Wald schützt das Wasser.")
    assert ids(question("Wald", "Wasser"), often, whole) == ["whole", "often"]


def test_words_side_by_side_beat_words_far_apart() -> None:
    apart = candidate("apart", "Der Wald " + "und noch mehr " * 10 + "das Wasser.")
    near = candidate("near", "Der Wald, das Wasser " + "und noch mehr " * 10 + ".")
    assert ids(question("Wald", "Wasser"), apart, near) == ["near", "apart"]


def test_what_has_none_of_the_words_is_left_out() -> None:
    assert ids(question("Wald"), candidate("other", "Ein Fisch."), candidate("wood", "Ein Wald.")) == ["wood"]


def test_sort_authority_and_time_prefer_but_do_not_decide() -> None:
    asked = question(
        "Wald",
        "Wasser",
        kinds=frozenset({"Botschaft"}),
        bodies=frozenset({"Rat"}),
        periods=(Period(date(2023, 1, 1), date(2023, 12, 31)),),
    )
    text = "Der Wald und das Wasser."
    plain, fitting = (
        candidate("a", text),
        candidate("b", text, kind="Botschaft", body="Rat", date=date(2023, 5, 1)),
    )
    empty = candidate("c", "Der Wald.", kind="Botschaft", body="Rat", date=date(2023, 5, 1))
    assert ids(asked, plain, empty, fitting) == ["b", "a", "c"]


def test_passages_that_say_something_new_come_before_repetitions() -> None:
    again = ["Der Wald ist gross. Wald!"] * 4
    (found,) = rank(question("Wald", "Wasser"), [candidate("a", *again, "Und das Wasser.")], 1)
    assert len(found.passages) == MAX_PASSAGES
    assert found.passages[1].text == "Und das Wasser."
    assert found.coverage == 1.0


def test_a_passage_without_any_word_is_not_shown() -> None:
    (found,) = rank(question("Wald"), [candidate("a", "Ein Fisch.", "Ein Wald.")], 1)
    assert [passage.text for passage in found.passages] == ["Ein Wald."]


def test_meaning_and_words_are_fused() -> None:
    asked = question("Wald")
    both = candidate("both", "Ein Wald.", nearness=0.8)
    words = candidate("words", "Wald, Wald, Wald.")
    meaning = candidate("meaning", "Viele Bäume.", nearness=0.9)
    assert ids(asked, words, meaning, both)[0] == "both"
    assert set(ids(asked, words, meaning, both)) == {"both", "words", "meaning"}


def test_related_words_add_up_to_less_than_the_word_itself() -> None:
    asked = Asked("Schutzzone", "schutzzon", 1.0)
    group = Group(asked, {"schutzzon": 1.0, "schutz": 0.4, "zon": 0.4}, 2.0, 3, 2.0)
    both = Expanded(
        Question((asked,)), (group,), {t: ((0, w),) for t, w in group.terms.items()}, group.importance
    )
    parts = match(both, (), candidate("a", "Schutz der Zone").passages[0])
    whole = match(both, (), candidate("b", "Schutzzone").passages[0])
    assert coverage_of(both, parts.covered) == pytest.approx(1 - 0.6 * 0.6)
    assert coverage_of(both, whole.covered) == 1.0


@given(st.lists(st.text(alphabet="wald faser.", max_size=40), min_size=1, max_size=6), st.integers(1, 5))
def test_coverage_is_a_share_and_the_order_is_that_of_the_scores(texts: list[str], limit: int) -> None:
    asked = question("Wald", "Faser", "See")
    found = rank(asked, [candidate(str(n), text) for n, text in enumerate(texts)], limit)
    assert len(found) <= limit
    assert all(0 < each.coverage <= 1 for each in found)
    assert [each.score for each in found] == sorted((each.score for each in found), reverse=True)
    assert not rank(question(), [candidate("a", *texts)], 5)


# -- what is looked up ----------------------------------------------------------------------------

RARE, USUAL = Sought(("rar", "selten"), 10), Sought(("haus",), MAX_READ_PASSAGES // 2)
FREQUENT, HUGE = Sought(("strass",), MAX_READ_PASSAGES - 5), Sought(("kanton",), 10 * MAX_READ_PASSAGES)


@pytest.mark.parametrize(
    ("sought", "lookup"),
    [
        ((), Lookup()),
        ((RARE,), Lookup((RARE,))),
        ((RARE, USUAL), Lookup((RARE, USUAL))),
        ((RARE, USUAL, FREQUENT), Lookup((RARE, USUAL))),
        ((RARE, HUGE), Lookup((RARE,))),
        ((HUGE,), Lookup((HUGE,), is_ranked=False)),
        ((HUGE, HUGE), Lookup((HUGE,), (HUGE,), is_ranked=False)),
    ],
)
def test_frequent_words_are_only_looked_up_when_there_are_no_rarer_ones(
    sought: tuple[Sought, ...], lookup: Lookup
) -> None:
    assert looked_up(sought) == lookup


def test_the_rarest_words_are_sure_to_find_something_where_there_are_several() -> None:
    assert looked_up((RARE, USUAL)).rare == (RARE, USUAL)
    assert looked_up((RARE,)).rare == ()
