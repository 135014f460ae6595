"""Questions and documents of strangers are read in time that grows with their length alone."""

import random
from string import ascii_lowercase

import pytest
from german.compounds import part_candidates
from german.dates import dates_in
from german.stems import stem
from growth import ALLOWED, Work, growth, steps
from hostile_texts import fast_growing

from tools_docs.chunking import chunks
from tools_docs.corpus import Section, SourceDocument
from tools_docs.formats.html import read_html
from tools_docs.formats.markdown import read_markdown
from tools_docs.formats.plain import read_text
from tools_docs.formats.reading import Origin, Unreadable, paragraphs
from tools_docs.question import MAX_PHRASES, MAX_WORDS, understand

ORIGIN = Origin("1", "https://example.org/1")


def asked(text: str) -> object:
    stem.cache_clear()
    return understand(text)


def as_document(text: str) -> SourceDocument | None:
    try:
        return read_text(text.encode("utf-8", "ignore"), ORIGIN)
    except Unreadable:
        return None


def as_markdown(text: str) -> SourceDocument | None:
    try:
        return read_markdown(text.encode("utf-8", "ignore"), ORIGIN)
    except Unreadable:
        return None


def as_front_matter(text: str) -> SourceDocument | None:
    return as_markdown(f"---\ntitle: {' '.join(text.splitlines())}\n---\nx")


def as_page(text: str) -> SourceDocument | None:
    try:
        return read_html(f"<table><tr><td>{text}".encode("utf-8", "ignore"), ORIGIN)
    except Unreadable:
        return None


@pytest.mark.parametrize(
    ("work", "chars"),
    [
        (asked, 4_000),
        (lambda text: list(dates_in(text)), 4_000),
        (lambda text: chunks((Section(text),)), 32_000),
        (as_document, 16_000),
        (as_markdown, 4_000),
        (as_front_matter, 8_000),
        (as_page, 8_000),
    ],
    ids=["question", "dates", "chunks", "text", "markdown", "front matter", "page"],
)
def test_reading_grows_with_the_text_alone(work: Work, chars: int) -> None:
    assert fast_growing(work, chars) == {}


@pytest.mark.parametrize(
    "work",
    [
        lambda text: chunks((Section(text.replace("x", "Nr. ")),)),
        lambda text: chunks((Section(text),)),
        lambda text: paragraphs([text[at : at + 8] for at in range(0, len(text), 8)]),
        lambda text: as_page(text.replace("xxxx", "<td>x")),
        lambda text: as_document(text.replace("xx", "\u0308\u0323")),
    ],
    ids=["abbreviations", "one word", "lines", "cells", "marks on one letter"],
)
def test_a_document_of_one_sentence_is_no_more_work_than_others(work: Work) -> None:
    assert growth(work, lambda chars: "x" * chars, 400_000) <= ALLOWED


def test_of_a_long_question_its_beginning_counts() -> None:
    question = understand(" ".join(f'"Wort {n}a"' for n in range(400)))
    assert (len(question.words), len(question.phrases)) == (MAX_WORDS, MAX_PHRASES)


def test_words_without_end_are_not_taken_apart_for_long() -> None:
    letters = random.Random(1)
    words = ["".join(letters.choices(ascii_lowercase, k=48)) for _ in range(MAX_WORDS)]
    assert steps(lambda text: [part_candidates(word) for word in text.split()], " ".join(words)) < 1_000_000
