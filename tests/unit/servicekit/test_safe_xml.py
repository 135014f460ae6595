"""XML is read without what makes it dangerous."""

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st
from misbehaving import EXTERNAL_DTD, EXTERNAL_ENTITY, SERVICE_EXCEPTION, XML_BOMB
from servicekit.errors import SourceError, SourceErrorKind
from servicekit.xml import parse_xml

SOURCE = "Das Geoportal"


def test_a_document_is_read_with_its_namespaces_and_encoding() -> None:
    document = '<?xml version="1.0" encoding="ISO-8859-1"?><a:r xmlns:a="urn:a"><a:b>Höhe</a:b></a:r>'
    root = parse_xml(document.encode("latin-1"), SOURCE)
    assert (root.tag, root.findtext("{urn:a}b")) == ("{urn:a}r", "Höhe")


def test_a_service_exception_is_a_document() -> None:
    assert parse_xml(SERVICE_EXCEPTION, SOURCE)[0].attrib == {"code": "LayerNotDefined"}


@pytest.mark.parametrize(
    "body",
    [
        XML_BOMB,
        EXTERNAL_ENTITY,
        EXTERNAL_DTD,
        b'<!DOCTYPE r [<!ENTITY % x SYSTEM "http://127.0.0.1:9/x">%x;]><r/>',
        b"<!DOCTYPE html><html></html>",
        b"",
        b"{}",
        b"<r>",
        b"<r>&undeclared;</r>",
        b"<r/><r/>",
        b'<?xml version="1.0" encoding="no-such"?><r/>',
        b"\xff\xfe<\x00r\x00",
        gzip.compress(b"<r/>", mtime=0),
    ],
)
def test_what_is_dangerous_or_broken_is_unreadable(body: bytes) -> None:
    with pytest.raises(SourceError) as caught:
        parse_xml(body, SOURCE)
    assert (caught.value.kind, caught.value.source) == (SourceErrorKind.UNREADABLE, SOURCE)


def test_depth_does_no_harm() -> None:
    depth = 200_000
    root = parse_xml(b"<a>" * depth + b"</a>" * depth, SOURCE)
    assert sum(1 for _ in root.iter()) == depth


@given(
    st.binary() | st.text().map(str.encode) | st.text(alphabet="<>/ar!&;[]\"'? ", max_size=40).map(str.encode)
)
def test_no_bytes_raise_anything_else(body: bytes) -> None:
    try:
        parse_xml(body, SOURCE)
    except SourceError as error:
        assert error.kind is SourceErrorKind.UNREADABLE
