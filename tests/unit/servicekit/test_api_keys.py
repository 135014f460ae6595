"""API keys: what is kept of them, and whom they belong to."""

from datetime import UTC, datetime, timedelta

import pytest
from pydantic import ValidationError
from servicekit.apikeys import ApiKey, ApiKeys, made

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def test_a_key_leads_to_its_entry() -> None:
    entry, key = made("reports", ("chat", "tools"), NOW, None)
    other, _ = made("reports", ("chat",), NOW, None)
    assert ApiKeys(keys=(other, entry)).holder(key, NOW) == entry


def test_the_file_does_not_have_the_key() -> None:
    entry, key = made("reports", ("chat",), NOW, NOW + timedelta(days=1))
    document = ApiKeys(keys=(entry,)).model_dump_json()
    assert key.rpartition("_")[2] not in document
    assert ApiKeys.model_validate_json(document).holder(key, NOW) == entry


def test_no_two_keys_are_alike() -> None:
    assert len({made("reports", ("chat",), NOW, None)[1] for _ in range(100)}) == 100


def test_a_key_is_of_no_use_from_the_moment_it_expires() -> None:
    entry, key = made("reports", ("chat",), NOW, NOW + timedelta(days=1))
    keys = ApiKeys(keys=(entry,))
    assert keys.holder(key, NOW + timedelta(hours=23)) == entry
    assert keys.holder(key, NOW + timedelta(days=1)) is None


def test_whatever_is_not_exactly_a_key_of_the_file_is_none() -> None:
    entry, key = made("reports", ("chat",), NOW, None)
    foreign = made("reports", ("chat",), NOW, None)[1]
    swapped = f"ask_{entry.id}_{foreign.rpartition('_')[2]}"
    wrong = ("", "ask_", entry.id, entry.hash, key[:-1], key + "0", key + "\n", key.upper(), foreign, swapped)
    keys = ApiKeys(keys=(entry,))
    assert [candidate for candidate in wrong if keys.holder(candidate, NOW)] == []
    assert ApiKeys().holder(key, NOW) is None


@pytest.mark.parametrize(
    "wrong",
    [
        {"hash": "secret"},
        {"scopes": ["everything"]},
        {"name": ""},
        {"createdAt": "2026-03-01T00:00:00"},
        {"id": "a_b"},
    ],
)
def test_an_entry_that_makes_no_sense_is_refused(wrong: dict[str, object]) -> None:
    entry = made("reports", ("chat",), NOW, None)[0].model_dump(mode="json")
    ApiKey.model_validate(entry)
    with pytest.raises(ValidationError):
        ApiKey.model_validate(entry | wrong)
