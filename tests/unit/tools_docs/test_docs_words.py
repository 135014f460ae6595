"""Which words of a corpus are parts of which others, and which mean the same."""

from german.stems import stem
from german.stop_words import stop_stems

from tools_docs.compounds import CorpusWord, compounds
from tools_docs.synonyms import synonyms


def test_a_new_word_takes_older_ones_apart() -> None:
    old = CorpusWord("schutzgebiet", stem("schutzgebiet"), 3, is_new=False)
    word = CorpusWord("teichrohr", stem("teichrohr"), 1, is_new=False)
    assert compounds([old, word]).terms == frozenset()
    fresh = [CorpusWord(w, stem(w), 2, is_new=True) for w in ("teich", "rohr")]
    found = compounds([old, word, *fresh])
    assert word.term in found.terms
    assert old.term not in found.terms
    assert {part for part, whole in found.parts if whole == word.term} == {"teich", "rohr"}


def test_a_word_that_occurs_once_takes_nothing_apart() -> None:
    rare = [CorpusWord(w, stem(w), 1, is_new=True) for w in ("teich", "rohr", "teichrohr")]
    assert compounds(rare).parts == []


def test_synonyms_stand_for_one_another_or_lead_one_way() -> None:
    assert stem("Fahrrad") in synonyms()[stem("Velo")]
    assert stem("Velo") in synonyms()[stem("Fahrrad")]
    assert stem("Starkregen") in synonyms()[stem("Gewitter")]
    assert stem("Gewitter") not in synonyms().get(stem("Starkregen"), ())


def test_synonyms_are_no_stop_words() -> None:
    assert not synonyms().keys() & stop_stems()
