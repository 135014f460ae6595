"""The calls of the web service: which parcel is where, whether it has an extract, and what that says."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Literal
from urllib.parse import urljoin, urlsplit

from contracts.languages import language_of
from servicekit.outbound import Answer, Outbound, SourceError, SourceErrorKind
from servicekit.wording import language

from tools_oereb.formats import json_answers, xml_answers
from tools_oereb.formats.extracts import ReadExtract
from tools_oereb.live.queries import Query
from tools_oereb.real_estate import RealEstate
from tools_oereb.texts import text

FormatName = Literal["xml", "json"]
Language = Literal["de", "fr", "it", "rm"]
_MAX_HOPS = 3
_OF_A_LANGUAGE = frozenset({SourceErrorKind.FAILED, SourceErrorKind.UNREADABLE})
"""What may come of texts that are missing in a language."""


@dataclass(frozen=True)
class _Format:
    """What is asked for, and how it is read. A server that has only XML refuses who accepts nothing else."""

    accept: tuple[str, ...]
    real_estates: Callable[..., tuple[RealEstate, ...]]
    extract: Callable[..., ReadExtract]


_FORMATS: dict[FormatName, _Format] = {
    "xml": _Format(xml_answers.CONTENT_TYPES, xml_answers.real_estates, xml_answers.extract),
    "json": _Format(json_answers.CONTENT_TYPES, json_answers.real_estates, json_answers.extract),
}


@dataclass(frozen=True)
class Client:
    """Where the canton shows an extract interactively, as far as the service says."""

    url: str | None = None


class OerebService:
    """One canton's service at `base_url`. All methods raise `SourceError`.

    It is asked in the language of the answer; `own` is the one for users whose language it has not.
    """

    def __init__(
        self, outbound: Outbound, base_url: str, format_name: FormatName, own: Language = "de"
    ) -> None:
        self._outbound = outbound
        self._base_url = base_url.rstrip("/")
        self._format_name = format_name
        self._format = _FORMATS[format_name]
        self._own = own
        self._wishes: dict[tuple[str, ...], tuple[Query, ...]] = {}
        """By languages, see `_wishes_in`; without those that were refused."""

    @property
    def name(self) -> str:
        """As users read it."""
        return text("service")

    @property
    def _languages(self) -> tuple[str, ...]:
        """The user's, if it is one that we speak, and then that of the service."""
        return tuple(dict.fromkeys(filter(None, (language_of(language()), self._own))))

    async def find(self, query: Query) -> tuple[RealEstate, ...]:
        """The parcels and rights for a question of `queries`, with outlines where the service has them."""
        answer = await self._get("getegrid", {**query, "GEOMETRY": "true"})
        if answer.status == 204:
            return ()
        return self._format.real_estates(answer.body, self.name, *self._languages)

    async def extract(self, egrid: str) -> ReadExtract | None:
        """An extract with its outline; None without one: the EGRID is unknown, or not released yet.

        Maps are left out: with them the service would take many times as long. A service may offer a language
        and fail over it: then its own is asked for.
        """
        languages = self._languages
        try:
            return await self._extract(egrid, languages)
        except SourceError as error:
            if languages == (self._own,) or error.kind not in _OF_A_LANGUAGE:
                raise
        return await self._extract(egrid, (self._own,))

    async def _extract(self, egrid: str, languages: tuple[str, ...]) -> ReadExtract | None:
        answer = await self._wished({"EGRID": egrid}, languages)
        if answer.status == 204:
            return None
        read = self._format.extract(answer.body, self.name, *languages)
        if read.egrid != egrid:
            raise SourceError(SourceErrorKind.UNREADABLE, self.name)
        return read

    async def _wished(self, params: Query, languages: tuple[str, ...]) -> Answer:
        """An extract in one of these languages and with its outline, or with as much of this as can be had.

        What is refused (400) is not wished again once something else was taken.
        """
        refused, is_large = True, False
        wishes = self._wishes.get(languages) or _wishes_in(languages)
        for place, wish in enumerate(wishes):
            if is_large and "GEOMETRY" in wish:
                continue
            try:
                answer = await self._get("extract", {**params, **wish})
            except SourceError as error:
                if not wish or not (error.status == 400 or error.kind is SourceErrorKind.TOO_LARGE):
                    raise
                refused = refused and error.status == 400
                is_large = is_large or error.kind is SourceErrorKind.TOO_LARGE
            else:
                if refused:
                    self._wishes[languages] = wishes[place:]
                return answer
        raise AssertionError("the last wish is answered or fails")

    async def client(self, egrid: str) -> Client | None:
        """The canton's own view of an extract; None for an EGRID that it does not know.

        The cheapest question there is: the parcel is only looked up. Whether its municipality is released, it
        does not tell. A page in the place of the redirect is no answer (UNREADABLE).
        """
        url, params = self._url("extract", "url"), {"EGRID": egrid}
        for _ in range(_MAX_HOPS):
            answer = await self._outbound.get(url, params=params, source=self.name, follow_redirects=False)
            if answer.status == 204:
                return None
            if answer.status < 300:
                break
            location = _web_page(url, answer.headers.get("location", ""))
            if location is None or not _is_same_question(url, location):
                return Client(location)
            url, params = location, {}
        raise SourceError(SourceErrorKind.UNREADABLE, self.name)

    async def _get(self, function: str, params: Query) -> Answer:
        url = self._url(function, self._format_name)
        return await self._outbound.get(url, params=params, source=self.name, accept=self._format.accept)

    def _url(self, function: str, format_name: str) -> str:
        return f"{self._base_url}/{function}/{format_name}/"


def _wishes_in(languages: Sequence[str]) -> tuple[Query, ...]:
    """What is wished beside the parcel, in the order in which it is tried."""
    outline, spoken = {"GEOMETRY": "true"}, [{"LANG": language} for language in languages]
    return (*({**outline, **each} for each in spoken), *spoken, outline, {})


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
