"""Who is asked when, and what is said when somebody does not answer."""

from collections.abc import Awaitable, Callable

import pytest
from servicekit.outbound import SourceError, SourceErrorKind

from tools_geo.gateways import Found, Remark
from tools_geo.live.fallback import canton_first

Search = Callable[[], Awaitable[Found[str]]]

CANTON_DOWN = SourceError(SourceErrorKind.TIMEOUT, "canton")
FEDERATION_DOWN = SourceError(SourceErrorKind.UNREACHABLE, "federation")


def answers(*items: str, remark: Remark | None = None) -> Search:
    async def search() -> Found[str]:
        return Found(items, remark)

    return search


def fails(error: SourceError) -> Search:
    async def search() -> Found[str]:
        raise error

    return search


async def never() -> Found[str]:
    raise AssertionError("not to be asked")


async def test_what_the_canton_has_is_enough() -> None:
    assert (await canton_first(answers("a"), never)).items == ("a",)


async def test_the_confederation_is_asked_when_the_canton_has_nothing() -> None:
    assert (await canton_first(answers(), answers("b"))).items == ("b",)


async def test_why_the_canton_has_nothing_is_said_when_nobody_has() -> None:
    found = await canton_first(answers(remark=Remark.STREET_MISSING), answers())
    assert found == Found((), Remark.STREET_MISSING)


async def test_a_remark_about_nothing_is_forgotten_when_the_confederation_has_something() -> None:
    found = await canton_first(answers(remark=Remark.MUNICIPALITY_UNKNOWN), answers("b"))
    assert found == Found(("b",))


async def test_the_confederation_stands_in_for_a_canton_that_is_down() -> None:
    assert (await canton_first(fails(CANTON_DOWN), answers("b"))).items == ("b",)


@pytest.mark.parametrize("beyond", [answers(), fails(FEDERATION_DOWN)])
async def test_a_canton_that_is_down_is_an_error_when_nobody_knows_more(beyond: Search) -> None:
    with pytest.raises(SourceError) as caught:
        await canton_first(fails(CANTON_DOWN), beyond)
    assert caught.value is CANTON_DOWN


async def test_it_is_said_when_outside_of_the_canton_could_not_be_searched() -> None:
    found = await canton_first(answers(), fails(FEDERATION_DOWN))
    assert found == Found((), Remark.BEYOND_UNAVAILABLE)


async def test_a_better_reason_is_kept_when_outside_of_the_canton_could_not_be_searched() -> None:
    found = await canton_first(answers(remark=Remark.STREET_MISSING), fails(FEDERATION_DOWN))
    assert found.remark is Remark.STREET_MISSING


async def test_hits_that_are_not_enough_are_kept_when_the_confederation_is_down() -> None:
    found = await canton_first(answers("a"), fails(FEDERATION_DOWN), is_enough=lambda own: False)
    assert found == Found(("a",))


async def test_hits_that_are_not_enough_are_merged() -> None:
    found = await canton_first(
        answers("a"),
        answers("b"),
        is_enough=lambda own: False,
        merge=lambda own, others: Found((*own.items, *others.items)),
    )
    assert found.items == ("a", "b")
