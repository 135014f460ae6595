"""Compares what a text quotes with the documents, while it is being written. Pure.

A quotation waits until it has closed and its sentence has cited. One that no document has loses its marks and
its citation; one that another document has than is cited gets the number of that one.
"""

import html
import re
from dataclasses import dataclass

from german.sentences import sentences

from responder.citations import CITATION, cited_in
from responder.quotable import Quotable

MAX_CHARS = 1_000
"""What is longer is no quotation: its marks go."""
MAX_GAP_CHARS = 240
"""So far behind a quotation its citation may stand, in the same sentence."""
_CLOSING = {"«": "»", "»": "«", "„": '“”"', "“": "”", "‹": "›", "›": "‹", '"': '"'}
_MARKS = frozenset("".join([*_CLOSING, *_CLOSING.values()]))
_CLOSE = {mark: re.compile(f"[{closing}]") for mark, closing in _CLOSING.items()}
_BEFORE = r"(?<=[\s(\[*_–—-])"
_OPEN = re.compile(rf"[«„‹]|{_BEFORE}[\"»›“](?=\S)")
_PERHAPS_OPEN = re.compile(rf"{_BEFORE}[\"»›“]\Z")
_ENTITY = re.compile(r"&(?:quot|[lr]aquo|[lr]saquo|[lr]dquo|bdquo|#\d{1,5}|#x[\da-f]{1,4});", re.IGNORECASE)
_PERHAPS_ENTITY = re.compile(r"&[#\w]{0,7}\Z")
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_CITATION = re.compile(rf"(?:[ \t\xa0]{{0,20}}+{CITATION}(?:\([^()\n]*+\))?)+")
_UNFINISHED = re.compile(r"[ \t\xa0]*(?:\[[^\]]*)?\Z|\(")
_MAX_SPANS = 8
_LINE_CHARS = 1_000


@dataclass(frozen=True)
class _Sentence:
    """What is held back: from the first mark to the citation, or to the last mark."""

    spans: tuple[tuple[int, int], ...]
    """Where quotations open and close."""
    citation: tuple[int, int] | None
    end: int


class Quotations:
    """A filter: text passes until something is quoted."""

    def __init__(self, quotable: Quotable) -> None:
        self.dropped = 0
        """Citations that stood behind quotations which those documents do not have."""
        self.hollow = 0
        """Quotations of no document in sentences that have cited before them: that much is not proven."""
        self._quotable = quotable
        self._entity = ""
        """Perhaps the beginning of a mark that is written as `&laquo;`."""
        self._waiting = ""
        self._line = "\n"
        """What has passed of this line."""
        self._stray = ""
        """What would close marks that have gone."""

    def feed(self, text: str) -> str:
        text = self._entity + text
        perhaps = _PERHAPS_ENTITY.search(text)
        end = perhaps.start() if perhaps else len(text)
        self._entity = text[end:]
        self._waiting += _ENTITY.sub(_mark, text[:end])
        return self._pass_on(final=False)

    def close(self) -> str:
        self._waiting, self._entity = self._waiting + self._entity, ""
        return self._pass_on(final=True)

    def _pass_on(self, *, final: bool) -> str:
        passed: list[str] = []
        while self._waiting:
            before = self._line[-1:]
            text = before + self._waiting
            found = _OPEN.search(text, len(before)) or (None if final else _PERHAPS_OPEN.search(text, 1))
            start = found.start() - len(before) if found else len(self._waiting)
            passed.append(self._take(start))
            if not self._waiting:
                break
            close = _closed(self._waiting, 0)
            if close is None:
                if not final and not _is_over(self._waiting):
                    break
                passed.append(self._unclosed())
                continue
            held = _sentence(self._waiting, close, final=final)
            if held is None:
                break
            said = self._settled(self._waiting, held)
            self._waiting = self._waiting[held.end :]
            self._say(said)
            passed.append(said)
        return "".join(passed)

    def _take(self, length: int) -> str:
        taken, self._waiting = self._waiting[:length], self._waiting[length:]
        self._say(taken)
        stray = next((n for n, char in enumerate(taken) if char in self._stray), None)
        if stray is not None:
            self._stray = ""
            taken = taken[:stray] + taken[stray + 1 :]
        return taken

    def _say(self, text: str) -> None:
        whole = self._line + text
        self._line = whole[max(whole.rfind("\n"), len(whole) - _LINE_CHARS) :]

    def _unclosed(self) -> str:
        mark, self._waiting = self._waiting[0], self._waiting[1:]
        # Inches, or a mark that is only one.
        self._stray = _CLOSING[mark] if mark != '"' else ""
        self._say(mark)
        return "" if self._stray else mark

    def _settled(self, text: str, held: _Sentence) -> str:
        """The sentence with the marks and the citations that it may have."""
        begin, end = held.citation or (held.end, held.end)
        cited = cited_in(text[begin:end])
        proofs: list[frozenset[int]] = []
        invented = False
        said, at = "", 0
        for opening, closing in held.spans:
            said += text[at:opening]
            at = closing + 1
            inside = text[opening + 1 : closing]
            own = cited_in(inside)
            words = _CITATION.sub("", inside) if own else inside
            holders = self._quotable.quoted(words)
            if holders is None:
                said += text[opening:at]
                continue
            if not holders:
                is_term = self._quotable.is_term(words)
                said += inside if is_term else words
                invented |= not is_term
                self.dropped += 0 if is_term else len(own)
                continue
            marked = f"{text[opening]}{words}{text[closing]}"
            if holders & {*own}:
                said += text[opening:at]
            elif own or not (cited or holders & {*cited_in(self._line)}):
                self.dropped += len(own)
                said += f"{marked} [{min(holders)}]"
            else:
                said += text[opening:at]
                proofs.append(holders)
        if invented and not cited and cited_in(list(sentences(f"{self._line}…"))[-1]):
            self.hollow += 1
        said += text[at:begin] + self._cited(text[begin:end], cited, proofs, invented=invented)
        return said + text[end : held.end]

    def _cited(self, citation: str, cited: list[int], proofs: list[frozenset[int]], *, invented: bool) -> str:
        """What a sentence may cite, by the documents that have its quotations."""
        if not cited or not (invented or any(proof.isdisjoint(cited) for proof in proofs)):
            return citation
        kept = [n for n in cited if any(n in proof for proof in proofs)]
        self.dropped += len(cited) - len(kept)
        for proof in proofs:
            if proof.isdisjoint(kept):
                kept.append(min(proof))
        return (" " if kept and citation[0].isspace() else "") + "".join(f"[{n}]" for n in kept)


def _mark(entity: re.Match[str]) -> str:
    """The mark that it stands for; of others nothing is changed."""
    char = html.unescape(entity.group())
    return char if char in _MARKS else entity.group()


def _closed(text: str, opening: int) -> int | None:
    """Where the quotation that opens there closes."""
    until = _BLANK_LINE.search(text, opening, opening + MAX_CHARS)
    limit = until.start() if until else opening + MAX_CHARS
    found = _CLOSE[text[opening]].search(text, opening + 1, limit)
    return found.start() if found else None


def _is_over(text: str) -> bool:
    """Whether what opens at the beginning can close no more."""
    return len(text) >= MAX_CHARS or _BLANK_LINE.search(text) is not None


def _sentence(text: str, close: int, *, final: bool) -> _Sentence | None:
    """What belongs to the quotation at the beginning; None when that is still to be seen."""
    spans = [(0, close)]
    while True:
        stop, is_known = _sentence_end(text, spans[-1], final=final)
        after = spans[-1][1] + 1
        citation = _CITATION.search(text, after, stop)
        other = _OPEN.search(text, after, citation.start() if citation else stop)
        if other is not None and len(spans) < _MAX_SPANS:
            closing = _closed(text, other.start())
            if closing is not None:
                spans.append((other.start(), closing))
                continue
            if not final and not _is_over(text[other.start() :]):
                return None
            return _Sentence(tuple(spans), None, after)
        if citation is not None:
            if not is_known and _UNFINISHED.match(text, citation.end()):
                return None
            return _Sentence(tuple(spans), citation.span(), citation.end())
        return _Sentence(tuple(spans), None, after) if is_known else None


def _sentence_end(text: str, span: tuple[int, int], *, final: bool) -> tuple[int, bool]:
    """How far the citation of a quotation may stand, and whether all of that has come."""
    opening, closing = span
    limit = closing + 1 + MAX_GAP_CHARS
    line = text.find("\n", closing, limit)
    stop = line if line >= 0 else min(limit, len(text))
    # A dot before the closing mark ends the sentence, too.
    last = (text[opening + 1 : closing].split() or [""])[-1]
    first = next(sentences(last + text[closing:stop]))
    end = closing + len(first) - len(last)
    if end < len(text[:stop].rstrip()):
        return end, True
    return stop, final or line >= 0 or len(text) >= limit
