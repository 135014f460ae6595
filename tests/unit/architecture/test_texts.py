"""What users read: every package that speaks has a catalogue, and says everything in every language."""

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from string import Formatter

import pytest
from contracts.languages import LANGUAGES

from . import parsing

ROOT = Path(__file__).parents[3]
CATALOGUES = {
    path.parent.name: path.parent
    for pattern in ("*/src/*/texts.toml", "services/*/src/*/texts.toml")
    for path in ROOT.glob(pattern)
}
POLITE = {
    # At the beginning of a sentence it is a pronoun: «Sie besteht aus …».
    "de": re.compile(r"(?<![.:?!] )(?<!^)\bSie\b|\bIhnen\b|\bIhr(e[mnrs]?)?\b"),
    "fr": re.compile(r"\b(vous|votre|vos)\b", re.IGNORECASE),
    "it": re.compile(r"\b(Lei|La prego|[Vv]oi|[Vv]ostr[aeio])\b"),
}
OF_THE_DOCUMENT_AGENT = (
    "Versuchen Sie es mit einer konkreteren Frage.",
    "Versuchen Sie es mit anderen Suchbegriffen.",
    "Versuchen Sie es mit einer präziseren Fragestellung.",
)
"""Its description fixes these, word for word."""

every_package = pytest.mark.parametrize("package", sorted(CATALOGUES))


@cache
def sentences(package: str) -> dict[str, dict[str, str]]:
    return tomllib.loads((CATALOGUES[package] / "texts.toml").read_text(encoding="utf-8"))


def nodes(package: str) -> Iterator[ast.AST]:
    for path in CATALOGUES[package].rglob("*.py"):
        yield from parsing.nodes(parsing.parsed(path))


def gaps(sentence: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(sentence) if name is not None}


def said(package: str) -> Iterator[tuple[str, ast.Call]]:
    """The calls of a catalogue whose key is spelled out."""
    methods = {
        node.name for node in nodes(package) if isinstance(node, ast.FunctionDef) and _takes_a_key(node)
    }
    for node in nodes(package):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        called, key = node.func, node.args[0]
        speaks = (isinstance(called, ast.Name) and called.id in ("text", "say")) or (
            isinstance(called, ast.Attribute)
            and called.attr == "text"
            and "text" in methods
            and isinstance(called.value, ast.Name)
            and called.value.id in ("self", "frame")
        )
        if speaks and isinstance(key, ast.Constant) and isinstance(key.value, str):
            yield key.value, node


def _takes_a_key(function: ast.FunctionDef) -> bool:
    return [each.arg for each in function.args.args[:2]] == ["self", "key"]


def mentioned(package: str) -> Iterator[re.Pattern[str]]:
    """What may be a key: every text in the code, with anything in place of what is filled in."""
    for node in nodes(package):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield re.compile(re.escape(node.value))
        elif isinstance(node, ast.JoinedStr):
            parts = [
                re.escape(str(part.value)) if isinstance(part, ast.Constant) else ".+" for part in node.values
            ]
            if any(part != ".+" for part in parts):
                yield re.compile("".join(parts))


def test_there_are_catalogues_to_look_at() -> None:
    assert {"ask", "edge", "orchestrator", "servicekit"} <= CATALOGUES.keys()


@every_package
def test_every_sentence_is_there_in_every_language(package: str) -> None:
    for key, by_language in sentences(package).items():
        assert tuple(by_language) == LANGUAGES, key
        assert all(sentence.strip() for sentence in by_language.values()), key


@every_package
def test_the_same_is_filled_into_every_language(package: str) -> None:
    for key, by_language in sentences(package).items():
        german = gaps(by_language["de"])
        assert all(name.isidentifier() for name in german), key
        assert all(gaps(sentence) == german for sentence in by_language.values()), key
        for sentence in by_language.values():
            sentence.format(**dict.fromkeys(german, 1))


@every_package
def test_users_are_spoken_to_as_friends_and_as_in_switzerland(package: str) -> None:
    for key, by_language in sentences(package).items():
        for language, sentence in by_language.items():
            assert not set(sentence) & set("ß„" if language == "en" else "ß„“”"), key
            assert not re.search(r"[^\W\d_]'[^\W\d_]", sentence), (key, language)
            assert language != "fr" or not re.search(r"[\w»}] [:;?!]", sentence), key
            for theirs in OF_THE_DOCUMENT_AGENT:
                sentence = sentence.replace(theirs, "")
            is_sentence = sentence.rstrip().endswith((".", "?", "!"))
            if is_sentence and (polite := POLITE.get(language)):
                assert not polite.search(sentence), (key, language)


def test_the_document_agent_says_what_its_description_fixes() -> None:
    german = {key: by_language["de"] for key, by_language in sentences("orchestrator").items()}
    of_kind = dict(
        zip(
            ("no_tool_call", "no_documents_found", "no_relevant_documents"),
            OF_THE_DOCUMENT_AGENT,
            strict=True,
        )
    )
    # Where there is no model, none has failed to call a tool.
    for kind, theirs in (*of_kind.items(), ("no_question", of_kind["no_tool_call"])):
        assert german[f"error_{kind}"].endswith(theirs)


@every_package
def test_what_is_said_is_in_the_catalogue_with_all_that_it_needs(package: str) -> None:
    catalogue = sentences(package)
    for key, call in said(package):
        assert key in catalogue, key
        given = {keyword.arg for keyword in call.keywords}
        assert None in given or gaps(catalogue[key]["de"]) <= given, key


@every_package
def test_no_sentence_is_left_over(package: str) -> None:
    known = list(mentioned(package))
    unused = [key for key in sentences(package) if not any(each.fullmatch(key) for each in known)]
    assert unused == []


@every_package
def test_a_catalogue_is_installed_with_its_package(package: str) -> None:
    project = tomllib.loads((CATALOGUES[package].parents[1] / "pyproject.toml").read_text(encoding="utf-8"))
    patterns = project["tool"]["setuptools"]["package-data"][package]
    assert any(Path("texts.toml").match(pattern.removeprefix("**/")) for pattern in patterns)
