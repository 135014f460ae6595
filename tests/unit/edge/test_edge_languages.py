"""In which language a request is answered."""

from typing import Any

import pytest
from contracts.chat import ChatRequest
from pydantic import ValidationError

from edge import languages
from edge.agui.inputs import RunInput, language_tags
from edge.askers import Askers


def scope(*accepted: str) -> dict[str, Any]:
    headers = [(b"accept-language", each.encode("latin-1")) for each in accepted]
    return {"type": "http", "method": "POST", "headers": headers}


@pytest.mark.parametrize(
    ("accepted", "wanted"),
    [
        ((), None),
        (("fr",), "fr"),
        (("fr-CH, fr;q=0.9, de;q=0.8",), "fr"),
        (("rm-CH, it;q=0.5, en;q=0.7",), "en"),
        (("ja",), None),
        (("*",), None),
        (("de;q=0, it",), "it"),
        (("ja", "it-CH"), "it"),
        (("fr;q=kein", "EN"), "en"),
        (("\xff\xfe", ",;,;q=,"), None),
        ((",".join(["xx"] * 10_000),), None),
    ],
)
def test_without_a_word_in_the_body_the_header_says_it(accepted: tuple[str, ...], wanted: str | None) -> None:
    asked = scope(*accepted)
    assert languages.wanted(asked) == Askers((), 100).of(asked).language == wanted
    assert languages.spoken(asked) == (wanted or "de")


@pytest.mark.parametrize(
    ("tags", "spoken"),
    [
        (("it-CH",), "it"),
        ((None,), "fr"),
        (("rm",), "fr"),
        (("",), "fr"),
        (("rm", "en"), "en"),
    ],
)
def test_the_body_counts_more_than_the_header_unless_it_names_none_of_ours(
    tags: tuple[str | None, ...], spoken: str
) -> None:
    asked = scope("fr")
    languages.say(asked, *tags)
    assert languages.spoken(asked) == spoken


def test_a_request_takes_any_tag_that_is_short_enough() -> None:
    body = {"sessionId": "s", "userMessage": "Bonjour"}
    assert ChatRequest.model_validate(body).language is None
    assert ChatRequest.model_validate(body | {"language": "gsw-u-sd-chzh"}).language == "gsw-u-sd-chzh"
    with pytest.raises(ValidationError):
        ChatRequest.model_validate(body | {"language": "x" * 36})


@pytest.mark.parametrize(
    ("forwarded", "state", "tags"),
    [
        ({}, {}, (None, None)),
        ({"language": "fr-CH"}, {"language": "it"}, ("fr-CH", "it")),
        ("fr", ["it"], (None, None)),
        ({"language": 5}, {"language": "x" * 36}, (None, None)),
    ],
)
def test_a_run_says_it_in_what_is_forwarded_or_in_its_state(
    forwarded: Any, state: Any, tags: tuple[str | None, ...]
) -> None:
    run = {
        "threadId": "t",
        "runId": "r",
        "messages": [],
        "tools": [],
        "context": [],
        "forwardedProps": forwarded,
        "state": state,
    }
    assert language_tags(RunInput.model_validate(run)) == tags
