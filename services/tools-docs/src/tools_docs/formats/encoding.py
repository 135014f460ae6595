"""Bytes to text, whatever the encoding."""

import codecs
import json
import re
from typing import Any

from german.unicode import normalized

from tools_docs.formats.reading import Problem, Unreadable

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_WESTERN = "cp1252"
_SAID_FOR_WESTERN = frozenset({"iso-8859-1", "iso8859-1", "latin-1", "latin1", "us-ascii", "ascii"})
"""Names that are given to cp1252 so often that browsers, too, take them for it."""
_GERMAN = frozenset("äöüÄÖÜßéèêëàâçîïôûùÉÈÀÂÇ«»‹›„“”‚‘’–—…§°€·•½¼¾²³µ×±†\xa0\xad")
"""What is not ASCII in texts of Swiss authorities."""
_GUESSED = ("cp1252", "mac_roman", "cp850", "utf_16_le", "utf_16_be")
"""What German files are in that are not UTF-8."""
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_HALF = re.compile(r"[\ud800-\udfff]")
_LIGATURES = {ord(c): normalized("NFKC", c) for c in "\ufb00\ufb01\ufb02\ufb03\ufb04\ufb05\ufb06"}
"""As fonts write ffi and fl; nobody looks for them."""
_MAX_CONTROL_SHARE = 0.002
_MAX_GUESSED_BYTES = 200_000


def decode(content: bytes, declared: str | None = None) -> str:
    """The text, composed (NFC) and with `\\n` as line ends. Raises `Unreadable` for what is no text.

    A byte order mark decides, then UTF-8 if it fits, then what the document says of itself, then a guess.
    """
    text = _decoded(content, declared)
    if len(_CONTROL.findall(text)) > max(2, _MAX_CONTROL_SHARE * len(text)):
        raise Unreadable(Problem.ENCODING)
    return cleaned(text.replace("\r\n", "\n").replace("\r", "\n"))


def cleaned(text: str) -> str:
    """Composed (NFC), without control characters, halves of characters, and ligatures of letters."""
    return normalized("NFC", _HALF.sub("\ufffd", _CONTROL.sub(" ", text)).translate(_LIGATURES))


def whole(found: Any) -> Any:
    """What was read from JSON, without halves of characters: nothing that stores text takes them."""
    said = json.dumps(found, ensure_ascii=False)
    return json.loads(_HALF.sub("\ufffd", said)) if _HALF.search(said) else found


def _decoded(content: bytes, declared: str | None) -> str:
    for mark, encoding in _BOMS:
        if content.startswith(mark):
            try:
                return content.decode(encoding)
            except UnicodeDecodeError:
                raise Unreadable(Problem.ENCODING, encoding) from None
    # UTF-16 of German text has a zero in every other byte, which others take without complaint.
    if content.count(0) < len(content) / 10:
        said = _WESTERN if declared and declared.lower() in _SAID_FOR_WESTERN else declared
        for encoding in filter(None, ("utf-8", said)):
            try:
                return content.decode(encoding)
            except (UnicodeDecodeError, LookupError):
                continue
        western = content.decode(_WESTERN, "replace")
        if all(c.isascii() or c in _GERMAN for c in western):
            return western
    from charset_normalizer import from_bytes

    best = from_bytes(content[:_MAX_GUESSED_BYTES], cp_isolation=list(_GUESSED)).best()
    try:
        return content.decode(best.encoding if best else "cp1252")
    except UnicodeDecodeError:
        raise Unreadable(Problem.ENCODING) from None
