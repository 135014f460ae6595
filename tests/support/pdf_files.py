"""Small PDF files, made by hand: text in Helvetica, one string a line."""

import io
from collections.abc import Sequence

from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

Line = tuple[str, float, bool, float]
"""Text, size of the letters, whether it is bold, and the space above it."""
_LINE_HEIGHT = 14


def pdf(*pages: Sequence[str], title: str | None = None) -> bytes:
    """A file with these pages, each a list of lines."""
    objects: list[bytes] = []

    def add(body: bytes) -> int:
        objects.append(body)
        return len(objects)

    font = add(b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
    tree = len(objects) + 1 + 2 * len(pages)
    kids = []
    for lines in pages:
        moved = [
            f"1 0 0 1 50 {780 - n * _LINE_HEIGHT} Tm ({_escaped(line)}) Tj" for n, line in enumerate(lines)
        ]
        content = f"BT /F1 11 Tf {' '.join(moved)} ET".encode("cp1252")
        stream = add(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content))
        page = f"<< /Type /Page /Parent {tree} 0 R /MediaBox [0 0 595 842] /Contents {stream} 0 R"
        kids.append(add(f"{page} /Resources << /Font << /F1 {font} 0 R >> >> >>".encode()))
    references = " ".join(f"{kid} 0 R" for kid in kids)
    add(f"<< /Type /Pages /Kids [{references}] /Count {len(kids)} >>".encode())
    root = add(f"<< /Type /Catalog /Pages {tree} 0 R >>".encode())
    info = add(f"<< /Title ({_escaped(title)}) >>".encode("cp1252")) if title else None
    return _file(objects, root, info)


def encrypted(text: str, password: str) -> bytes:
    """One page that opens with a password, which may be empty."""
    out = io.BytesIO()
    canvas = Canvas(out, encrypt=StandardEncryption(password, ownerPassword="owner", strength=128))
    canvas.drawString(50, 780, text)
    canvas.save()
    return out.getvalue()


def designed(*pages: Sequence[Line], title: str | None = None) -> bytes:
    """Pages with lines of several sizes and weights."""
    out = io.BytesIO()
    canvas = Canvas(out)
    if title is not None:
        canvas.setTitle(title)
    for lines in pages:
        top = 780.0
        for text, size, bold, gap in lines:
            top -= gap + size * 1.25
            canvas.setFont("Helvetica-Bold" if bold else "Helvetica", size)
            canvas.drawString(50, top, text)
        canvas.showPage()
    canvas.save()
    return out.getvalue()


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")


def _file(objects: list[bytes], root: int, info: int | None) -> bytes:
    out = bytearray(b"%PDF-1.4\n")
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    for place in places:
        out += b"%010d 00000 n \n" % place
    known = f"/Info {info} 0 R " if info else ""
    out += f"trailer\n<< /Size {len(objects) + 1} /Root {root} 0 R {known}>>\n".encode()
    return bytes(out + b"startxref\n%d\n%%%%EOF\n" % start)
