"""Everyday queries lead to the obvious layer: hit@1 and hit@5, printed with `-s` and when it is too few."""

import tomllib
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from geo_live import live_gateway
from recorded.server import RecordedServer

from tools_geo.embedded import datafiles
from tools_geo.gateways import Gateways, LayerGateway

QUERIES = Path(__file__).parents[2] / "support" / "layer_queries.toml"
LEAST = {"dev": (0.98, 1.0), "held_out": (0.85, 0.88)}
"""Share of queries whose first hit, and one of whose first five, must be right: what has been reached."""


@dataclass(frozen=True)
class Query:
    who: str
    say: str
    layers: frozenset[str]
    """Those that answer it; none when an honest answer is empty."""


@dataclass(frozen=True)
class Result:
    query: Query
    found: tuple[str, ...]

    @property
    def at_1(self) -> bool:
        return self._is_right(1)

    @property
    def at_5(self) -> bool:
        return self._is_right(5)

    def _is_right(self, first: int) -> bool:
        if not self.query.layers:
            return not self.found
        return not self.query.layers.isdisjoint(self.found[:first])


def queries(part: str) -> Iterator[Query]:
    for group in tomllib.loads(QUERIES.read_text(encoding="utf-8"))[part]:
        for query in group["queries"]:
            yield Query(group["who"], query["say"], frozenset(query["layers"]))


def table(part: str, results: list[Result]) -> str:
    lines = [f"{'queries of':<28}{'n':>5}{'hit@1':>8}{'hit@5':>8}"]
    for who in dict.fromkeys([*(result.query.who for result in results), part]):
        of = [result for result in results if who in (result.query.who, part)]
        shares = (sum(r.at_1 for r in of) / len(of), sum(r.at_5 for r in of) / len(of))
        lines.append(f"{who:<28}{len(of):>5}{shares[0]:>8.3f}{shares[1]:>8.3f}")
    missed = [result for result in results if not result.at_1]
    lines += [f"  «{r.query.say}» found {', '.join(r.found[:3]) or 'nothing'}" for r in missed]
    return "\n".join(lines)


@pytest.fixture(params=["embedded", "live"])
async def layers(
    request: pytest.FixtureRequest, gateways: Gateways, server: RecordedServer
) -> AsyncIterator[LayerGateway]:
    if request.param == "embedded":
        yield gateways.layers
        return
    async with live_gateway("layers", server.url, federal_url="") as live:
        yield live


@pytest.mark.parametrize("part", LEAST)
async def test_everyday_words_lead_to_the_obvious_layer(layers: LayerGateway, part: str) -> None:
    results = [
        Result(query, tuple(item.id for item in (await layers.layers(query.say)).items))
        for query in queries(part)
    ]
    report = table(part, results)
    print(f"\n{report}")  # noqa: T201
    shares = (sum(r.at_1 for r in results) / len(results), sum(r.at_5 for r in results) / len(results))
    assert all(share >= least for share, least in zip(shares, LEAST[part], strict=True)), f"\n{report}"


def test_there_are_enough_queries_and_none_twice() -> None:
    dev, held_out = ([query.say for query in queries(part)] for part in LEAST)
    assert len(dev) >= 60
    assert len(held_out) >= 30
    assert len({*dev, *held_out}) == len(dev) + len(held_out)


def test_the_answers_exist() -> None:
    known = {row.id for row in datafiles.read().layers}
    assert {layer for part in LEAST for query in queries(part) for layer in query.layers} <= known
