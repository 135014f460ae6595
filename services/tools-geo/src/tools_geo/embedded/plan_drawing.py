"""Draws a sheet: an outline at its scale, with its neighbours, the grid, a north arrow and a scale bar.

Lengths on paper are in millimetres from the lower left corner of an upright A4 sheet.
"""

import math
from collections.abc import Callable, Iterator
from io import BytesIO

from reportlab.lib.colors import Color, HexColor, black, white
from reportlab.lib.pagesizes import A4
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas
from reportlab.pdfgen.pathobject import PDFPathObject
from swissgeo.lv95 import Point
from swissgeo.outlines import Ring, inner_point

from tools_geo.embedded.plan_sheet import Outline, Sheet
from tools_geo.plan_layout import FRAME_M, PlanLayout
from tools_geo.texts import text

_FRAME_WIDTH, _FRAME_HEIGHT = (side * 1_000 for side in FRAME_M)
_FRAME_LEFT, _FRAME_BOTTOM = (A4[0] / mm - _FRAME_WIDTH) / 2, 28.0
_FRAME_RIGHT, _FRAME_TOP = _FRAME_LEFT + _FRAME_WIDTH, _FRAME_BOTTOM + _FRAME_HEIGHT
_BAR_MM = 60.0

_GRID, _OTHERS, _SUBJECT, _WARNING, _WATERMARK = (
    HexColor(code) for code in (0x5C8DB8, 0x8A8A8A, 0xC8102E, 0xB00020, 0xEDEDED)
)


def draw(sheet: Sheet) -> bytes:
    """The sheet as PDF: the same bytes for the same sheet, as no date is in it."""
    buffer = BytesIO()
    canvas = Canvas(buffer, pagesize=A4, invariant=1, lang="de-CH")
    canvas.setTitle(sheet.title)
    canvas.setSubject(text("plan_disclaimer"))
    canvas.setAuthor("ask.sogis")
    canvas.setCreator("ask.sogis")
    _draw_map(canvas, sheet)
    _draw_margin(canvas, sheet)
    canvas.showPage()
    canvas.save()
    return buffer.getvalue()


# -- map ------------------------------------------------------------------------------------------


def _draw_map(canvas: Canvas, sheet: Sheet) -> None:
    west, south, _, _ = sheet.layout.extent

    def on_paper(point: Point) -> Point:
        to_mm = 1_000 / sheet.layout.scale
        return _FRAME_LEFT + (point[0] - west) * to_mm, _FRAME_BOTTOM + (point[1] - south) * to_mm

    canvas.saveState()
    frame = canvas.beginPath()
    frame.rect(_FRAME_LEFT * mm, _FRAME_BOTTOM * mm, _FRAME_WIDTH * mm, _FRAME_HEIGHT * mm)
    canvas.clipPath(frame, stroke=0, fill=0)
    _draw_watermark(canvas)
    _draw_grid(canvas, sheet.layout, on_paper)
    for outline in sheet.neighbours:
        _draw_outline(canvas, outline, on_paper, _OTHERS, 0.3)
    _draw_outline(canvas, sheet.subject, on_paper, _SUBJECT, 0.6)
    _draw_north_arrow(canvas, (_FRAME_RIGHT - 12, _FRAME_TOP - 14))
    canvas.restoreState()
    canvas.setStrokeColor(black)
    canvas.setLineWidth(0.4 * mm)
    canvas.rect(_FRAME_LEFT * mm, _FRAME_BOTTOM * mm, _FRAME_WIDTH * mm, _FRAME_HEIGHT * mm)


def _draw_watermark(canvas: Canvas) -> None:
    canvas.saveState()
    canvas.translate((_FRAME_LEFT + _FRAME_RIGHT) / 2 * mm, (_FRAME_BOTTOM + _FRAME_TOP) / 2 * mm)
    canvas.rotate(52)
    canvas.setFillColor(_WATERMARK)
    canvas.setFont("Helvetica-Bold", 110)
    canvas.drawCentredString(0, -38, text("plan_watermark"))
    canvas.restoreState()


def _draw_outline(
    canvas: Canvas, outline: Outline, on_paper: Callable[[Point], Point], color: Color, width: float
) -> None:
    path = canvas.beginPath()
    for ring in (ring for polygon in outline.polygons for ring in polygon):
        _add_ring(path, [on_paper(point) for point in ring])
    canvas.setStrokeColor(color)
    canvas.setLineWidth(width * mm)
    canvas.setLineJoin(1)
    canvas.drawPath(path, stroke=1, fill=0)
    if outline.number:
        east, north = on_paper(inner_point(outline.polygons))
        canvas.setFillColor(color)
        canvas.setFont("Helvetica-Bold", 9)
        canvas.drawCentredString(east * mm, north * mm - 3, outline.number)


def _add_ring(path: PDFPathObject, ring: Ring) -> None:
    first, *rest = ring
    path.moveTo(first[0] * mm, first[1] * mm)
    for x, y in rest:
        path.lineTo(x * mm, y * mm)
    path.close()


def _draw_grid(canvas: Canvas, layout: PlanLayout, on_paper: Callable[[Point], Point]) -> None:
    """Lines through whole multiples of the interval, each with its coordinate at the frame."""
    west, south, east, north = layout.extent
    canvas.setStrokeColor(_GRID)
    canvas.setFillColor(_GRID)
    canvas.setLineWidth(0.15 * mm)
    canvas.setFont("Helvetica", 6.5)
    for value in _multiples(layout.grid_interval_m, west, east):
        x, _ = on_paper((value, south))
        canvas.line(x * mm, _FRAME_BOTTOM * mm, x * mm, _FRAME_TOP * mm)
        _label_upright(canvas, (x - 0.8, _FRAME_BOTTOM + 1.5), _grouped(value))
    for value in _multiples(layout.grid_interval_m, south, north):
        _, y = on_paper((west, value))
        canvas.line(_FRAME_LEFT * mm, y * mm, _FRAME_RIGHT * mm, y * mm)
        canvas.drawString((_FRAME_LEFT + 1.5) * mm, (y + 0.8) * mm, _grouped(value))


def _label_upright(canvas: Canvas, at: Point, label: str) -> None:
    canvas.saveState()
    canvas.translate(at[0] * mm, at[1] * mm)
    canvas.rotate(90)
    canvas.drawString(0, 0, label)
    canvas.restoreState()


def _multiples(interval: int, low: float, high: float) -> Iterator[int]:
    return iter(range(math.ceil(low / interval) * interval, math.floor(high) + 1, interval))


def _draw_north_arrow(canvas: Canvas, at: Point) -> None:
    x, y = at[0] * mm, at[1] * mm
    canvas.setFillColor(white)
    canvas.setStrokeColor(black)
    canvas.setLineWidth(0.25 * mm)
    canvas.circle(x, y, 8.5 * mm, stroke=1, fill=1)
    for side, fill in ((-1, black), (1, white)):
        half = canvas.beginPath()
        _add_ring(half, [(at[0], at[1] + 4.2), (at[0] + side * 2.6, at[1] - 6), (at[0], at[1] - 4)])
        canvas.setFillColor(fill)
        canvas.drawPath(half, stroke=1, fill=1)
    canvas.setFillColor(black)
    canvas.setFont("Helvetica-Bold", 9)
    canvas.drawCentredString(x, y + 5.0 * mm, "N")


# -- margin ---------------------------------------------------------------------------------------


def _draw_margin(canvas: Canvas, sheet: Sheet) -> None:
    canvas.setFillColor(black)
    canvas.setFont("Helvetica-Bold", 14)
    canvas.drawString(_FRAME_LEFT * mm, (_FRAME_TOP + 11) * mm, sheet.title)
    canvas.setFont("Helvetica", 9)
    canvas.drawString(_FRAME_LEFT * mm, (_FRAME_TOP + 5) * mm, sheet.details)
    canvas.drawRightString(_FRAME_RIGHT * mm, (_FRAME_TOP + 5) * mm, _scale(sheet.layout))
    canvas.setFillColor(_WARNING)
    canvas.setFont("Helvetica-Bold", 9)
    canvas.drawRightString(_FRAME_RIGHT * mm, (_FRAME_TOP + 11) * mm, text("plan_disclaimer"))
    _draw_scale_bar(canvas, sheet.layout.scale)
    canvas.setFillColor(black)
    canvas.setFont("Helvetica", 7)
    lines = (text("plan_frame"), text("source_plans"))
    for number, line in enumerate(lines):
        canvas.drawRightString(_FRAME_RIGHT * mm, (_FRAME_BOTTOM - 8 - 4 * number) * mm, line)


def _draw_scale_bar(canvas: Canvas, scale: int) -> None:
    length_m = _bar_length_m(scale)
    width, left, bottom = length_m / scale * 1_000, _FRAME_LEFT, _FRAME_BOTTOM - 9
    canvas.setStrokeColor(black)
    canvas.setLineWidth(0.2 * mm)
    for part in range(4):
        canvas.setFillColor(white if part % 2 else black)
        canvas.rect((left + part * width / 4) * mm, bottom * mm, width / 4 * mm, 2 * mm, fill=1)
    canvas.setFillColor(black)
    canvas.setFont("Helvetica", 7)
    for share in (0.0, 0.5, 1.0):
        label = f"{length_m * share:,.10g}".replace(",", "'")
        if share == 1:
            label += " m"
        canvas.drawCentredString((left + width * share) * mm, (bottom - 3.5) * mm, label)


def _bar_length_m(scale: int) -> float:
    """The longest of 1, 2, 5, 10, ... metres that has room."""
    room_m = _BAR_MM / 1_000 * scale
    power = 10.0 ** math.floor(math.log10(room_m))
    return max(factor * power for factor in (1, 2, 5) if factor * power <= room_m)


def _scale(layout: PlanLayout) -> str:
    return text("plan_scale", scale=_grouped(layout.scale))


def _grouped(value: int) -> str:
    return f"{value:,}".replace(",", "'")
