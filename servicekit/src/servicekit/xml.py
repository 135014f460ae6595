"""XML from others: no document types, no entities, nothing fetched."""

from xml.etree.ElementTree import Element, ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import fromstring
from servicekit.errors import SourceError, SourceErrorKind


def parse_xml(body: bytes, source: str) -> Element:
    """The root element. `source` is the German name of where the body is from.

    Raises `SourceError` (UNREADABLE) for what is broken, and for every document that brings a DTD: that is
    where entities are declared, and no format that we read has one.
    """
    try:
        root: Element = fromstring(body, forbid_dtd=True)
    except (ParseError, DefusedXmlException, LookupError, ValueError):
        raise SourceError(SourceErrorKind.UNREADABLE, source) from None
    return root
