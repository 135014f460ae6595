"""Whether the ÖREB web service speaks our version of the directive, our language and our coordinates."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from servicekit.outbound import Outbound
from servicekit.probes import Check, Missing
from servicekit.xml import parse_xml

from tools_oereb.formats import json_answers, xml_answers
from tools_oereb.live.service import FormatName
from tools_oereb.settings import Settings
from tools_oereb.texts import text

_VERSION = "extract-2.0"
_ACCEPT = {"xml": xml_answers.CONTENT_TYPES, "json": json_answers.CONTENT_TYPES}


def checks(settings: Settings, outbound: Outbound) -> Iterator[Check]:
    """What it does not list it need not have: only what it lists without ours is missing."""
    base, form = settings.oereb_url.rstrip("/"), settings.oereb_format
    versions, capabilities = f"{base}/versions/{form}/", f"{base}/capabilities/{form}/"
    yield Check("OEREB_URL", versions, partial(_missing_version, outbound, versions, form))
    ask = partial(_missing_capabilities, outbound, capabilities, form, settings.oereb_language)
    yield Check("OEREB_URL", capabilities, ask)


async def _missing_version(outbound: Outbound, url: str, form: FormatName) -> list[Missing]:
    offered = _named(await _asked(outbound, url, form), "version")
    return [] if _VERSION in offered else [("OEREB_URL", f"version {_VERSION!r} among {offered}")]


async def _missing_capabilities(
    outbound: Outbound, url: str, form: FormatName, language: str
) -> list[Missing]:
    document = await _asked(outbound, url, form)
    languages, systems = _named(document, "language"), _named(document, "crs")
    missing = []
    if languages and language not in map(str.lower, languages):
        missing.append(("OEREB_LANGUAGE", f"language {language!r} among {languages}"))
    if systems and not any("2056" in system for system in systems):
        missing.append(("OEREB_URL", f"coordinates of EPSG:2056 among {systems}"))
    return missing


async def _asked(outbound: Outbound, url: str, form: FormatName) -> Any:
    answer = await outbound.get(url, source=text("service"), accept=_ACCEPT[form])
    return answer.json() if form == "json" else parse_xml(answer.body, answer.source)


def _named(document: Any, name: str) -> list[str]:
    """All texts of this name, at any depth; in XML whatever the namespace."""
    if isinstance(document, dict):
        own = document.get(name)
        values = own if isinstance(own, list) else [own]
        found = [value for value in values if isinstance(value, str)]
        return found + [each for value in document.values() for each in _named(value, name)]
    if isinstance(document, list):
        return [each for value in document for each in _named(value, name)]
    if hasattr(document, "iter"):
        return [(e.text or "").strip() for e in document.iter() if e.tag.rpartition("}")[2] == name]
    return []
