"""What models and services write is read in time that grows with its length alone."""

import pytest
from contracts.items import Document, Passage
from contracts.markdown import plain, prose, sentence
from contracts.session import LoadedLayer
from german.unicode import MAX_MARKS, normalized
from growth import ALLOWED, Work, growth, repeated
from hostile_texts import fast_growing

from actionplanner.layer_names import find
from responder.draft import Draft
from responder.quotable import Quotable
from tools_docs.expansion import Expanded
from tools_docs.question import Question
from tools_docs.quoting import sentences_in

NOTHING = Expanded(Question(()), (), {}, 0.0)
LAYER = LoadedLayer(id="ch.so.awjf.waldplan.typ", label="Waldplan - Waldtypen")


def document(text: str) -> Document:
    return Document(id="1", label="A", name="A", url="https://example.org/1", passages=(Passage(text=text),))


SPOKEN = document("Der Wald schützt vor Steinschlag und vor Lawinen im ganzen Kanton. " * 20)


def drafted(text: str) -> None:
    """As it comes from a model, in pieces."""
    draft = Draft([SPOKEN])
    for n in range(0, len(text), 50):
        draft.feed(text[n : n + 50])
    draft.close()


@pytest.mark.parametrize(
    ("work", "chars"),
    [
        (lambda text: list(sentences_in(NOTHING, [Passage(text=text)])), 4_000),
        (lambda text: find(text, [LAYER]), 4_000),
        (lambda text: find("Waldkarte", [LAYER, LoadedLayer(id="ch.so.a", label=text)]), 4_000),
        (prose, 4_000),
        (plain, 4_000),
        (sentence, 4_000),
        (drafted, 4_000),
        (lambda text: Quotable([SPOKEN]).quoted(text), 4_000),
        (lambda text: Quotable([document(text)]).quoted("Der Wald … schützt vor Lawinen"), 4_000),
    ],
    ids=[
        *("passage", "name of a layer", "label of a layer", "prose", "plain"),
        *("reason", "answer", "quotation", "passage that is quoted"),
    ],
)
def test_reading_grows_with_the_text_alone(work: Work, chars: int) -> None:
    assert fast_growing(work, chars) == {}


def test_thousands_of_marks_on_one_letter_are_brought_into_order_at_once() -> None:
    def work(text: str) -> object:
        return normalized("NFKC", text)

    for mark in ("\u0308", "\u0344", "\uff9e", "\U0001e000"):
        assert growth(work, repeated(f"a{mark}\u0323"), 64_000) <= ALLOWED
        assert growth(work, repeated(f"{mark}\u0323", before="a"), 64_000) <= ALLOWED


def test_marks_that_people_write_are_kept() -> None:
    assert normalized("NFC", "Gewa\u0308sser") == "Gewässer"
    assert normalized("NFKC", "ＰＬＺ ½") == "PLZ 1⁄2"
    assert normalized("NFC", "x" + "\u0323" * MAX_MARKS) == "x" + "\u0323" * MAX_MARKS
    assert normalized("NFC", "x" + "\u0323" * 4_000 + "y") == "x" + "\u0323" * MAX_MARKS + "y"
