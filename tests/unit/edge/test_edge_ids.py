"""Ids that clients send back."""

from contracts.chat import choice_id
from hypothesis import given
from hypothesis import strategies as st

from edge import ids


def test_a_new_request_id_is_ours_and_new() -> None:
    made = [ids.new_request_id() for _ in range(100)]
    assert all(ids.is_request_id(request_id) for request_id in made)
    assert len(set(made)) == 100


@given(st.integers(0, 99), st.integers(0, 99))
def test_a_choice_leads_back_to_its_turn(step: int, option: int) -> None:
    request_id = ids.new_request_id()
    assert ids.turn_of(choice_id(request_id, step, option)) == request_id


@given(st.text() | st.from_regex(r"\Areq-[0-9a-f*> .\n]{14,18}\.[0-9]+\.[0-9]+\Z"))
def test_what_a_client_makes_up_never_becomes_more_than_a_plain_id(text: str) -> None:
    found = ids.turn_of(text)
    assert found is None or (len(found) == 20 and found[4:].isalnum() and found.isascii())


def test_a_request_id_ends_where_it_ends() -> None:
    request_id = ids.new_request_id()
    for extended in (f"{request_id}\n", f"{request_id}0", f" {request_id}", request_id.upper(), ""):
        assert not ids.is_request_id(extended)


def test_a_request_id_tells_its_cell() -> None:
    made = [ids.new_request_id(cell) for cell in (0, 10, 255)]
    assert [request_id[4:6] for request_id in made] == ["00", "0a", "ff"]
    assert all(ids.is_request_id(request_id) for request_id in made)
    assert ids.new_request_id(7) != ids.new_request_id(7)
