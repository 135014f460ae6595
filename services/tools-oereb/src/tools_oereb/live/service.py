"""The calls of the web service: which parcel is where, whether it has an extract, and what that says."""

from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Literal
from urllib.parse import urljoin, urlsplit

from servicekit.outbound import Answer, Outbound, SourceError, SourceErrorKind

from tools_oereb.live import json_answers, xml_answers
from tools_oereb.live.queries import Query
from tools_oereb.live.reading import ExtractFacts
from tools_oereb.real_estate import RealEstate
from tools_oereb.texts import text

FormatName = Literal["xml", "json"]
_MAX_HOPS = 3


@dataclass(frozen=True)
class _Format:
    """What is asked for, and how it is read. A server that has only XML refuses who accepts nothing else."""

    accept: tuple[str, ...]
    real_estates: Callable[[Answer], tuple[RealEstate, ...]]
    extract_facts: Callable[[Answer], ExtractFacts]


_FORMATS: dict[FormatName, _Format] = {
    "xml": _Format(xml_answers.CONTENT_TYPES, xml_answers.real_estates, xml_answers.extract_facts),
    "json": _Format(json_answers.CONTENT_TYPES, json_answers.real_estates, json_answers.extract_facts),
}


@dataclass(frozen=True)
class Client:
    """Where the canton shows an extract interactively, as far as the service says."""

    url: str | None = None


class OerebService:
    """One canton's service at `base_url`. All methods raise `SourceError`."""

    def __init__(self, outbound: Outbound, base_url: str, format_name: FormatName) -> None:
        self._outbound = outbound
        self._base_url = base_url.rstrip("/")
        self._format_name = format_name
        self._format = _FORMATS[format_name]
        self.name = text("service")
        """As users read it."""

    async def find(self, query: Query) -> tuple[RealEstate, ...]:
        """The parcels and rights for a question of `queries`, with outlines where the service has them."""
        answer = await self._get("getegrid", self._format_name, {**query, "GEOMETRY": "true"})
        return () if answer.status == 204 else self._format.real_estates(answer)

    async def facts(self, egrid: str) -> ExtractFacts | None:
        """The first page of an extract; None without one: the EGRID is unknown, or not released yet.

        Maps and outlines are left out: with them the service would take many times as long.
        """
        answer = await self._get("extract", self._format_name, {"EGRID": egrid})
        if answer.status == 204:
            return None
        facts = self._format.extract_facts(answer)
        if facts.egrid != egrid:
            raise SourceError(SourceErrorKind.UNREADABLE, self.name)
        return facts

    async def client(self, egrid: str, *, retry: bool = True) -> Client | None:
        """The canton's own view of an extract; None for an EGRID that it does not know.

        The cheapest question there is: the parcel is only looked up. Whether its municipality is released, it
        does not tell. A page in the place of the redirect is no answer (UNREADABLE).
        """
        url, params = self._url("extract", "url"), {"EGRID": egrid}
        for _ in range(_MAX_HOPS):
            answer = await self._outbound.get(
                url, params=params, source=self.name, retry=retry, follow_redirects=False
            )
            if answer.status == 204:
                return None
            if answer.status < 300:
                break
            location = _web_page(url, answer.headers.get("location", ""))
            if location is None or not _is_same_question(url, location):
                return Client(location)
            url, params = location, {}
        raise SourceError(SourceErrorKind.UNREADABLE, self.name)

    async def _get(self, function: str, format_name: str, params: Query) -> Answer:
        return await self._outbound.get(
            self._url(function, format_name), params=params, source=self.name, accept=self._format.accept
        )

    def _url(self, function: str, format_name: str) -> str:
        return f"{self._base_url}/{function}/{format_name}/"


def _web_page(url: str, location: str) -> str | None:
    """Where a redirect leads, if users may be sent there: into the web, not into somebody's network."""
    try:
        target = urljoin(url, location.strip())
        asked, said = urlsplit(url), urlsplit(target)
    except ValueError:
        return None
    is_page = said.scheme in ("https", asked.scheme) and said.hostname and target != url
    if not is_page or any(c.isspace() or not c.isprintable() for c in target):
        return None
    return target if said.hostname == asked.hostname or _is_public(said.hostname or "") else None


def _is_public(host: str) -> bool:
    try:
        return ip_address(host).is_global
    except ValueError:
        return host != "localhost"


def _is_same_question(url: str, location: str) -> bool:
    """Whether a redirect only sends back, as for a slash at the end; the answer leads somewhere else."""
    asked, said = urlsplit(url), urlsplit(location)
    return (asked.netloc, asked.path.rstrip("/")) == (said.netloc, said.path.rstrip("/"))
