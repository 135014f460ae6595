"""Settings and texts."""

import pytest
from pydantic import ValidationError

from edge.settings import EdgeSettings


def test_the_environment_sets_what_it_names(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "PORT": "9090",
        "MAX_WAITING_TURNS": "7",
        "ALLOWED_ORIGINS": "https://a.example, https://b.example,",
        "NATS_URL": "nats://bus:4222",
    }.items():
        monkeypatch.setenv(name, value)
    settings = EdgeSettings()
    assert (settings.port, settings.max_waiting_turns) == (9090, 7)
    assert settings.allowed_origins == ("https://a.example", "https://b.example")
    assert settings.nats_url == "nats://bus:4222"


def test_by_default_a_turn_ends_before_the_edge_stops_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in EdgeSettings.model_fields:
        monkeypatch.delenv(name.upper(), raising=False)
    settings = EdgeSettings()
    assert settings.turn_timeout_s == 30
    assert settings.wait_timeout_s > settings.turn_timeout_s
    assert settings.publish_timeout_s <= 5
    assert settings.allowed_origins == ()


@pytest.mark.parametrize(("name", "value"), [("PORT", "-1"), ("PORT", "70000"), ("WAIT_TIMEOUT_S", "0")])
def test_impossible_settings_are_refused(name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(ValidationError):
        EdgeSettings()
