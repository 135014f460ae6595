"""What a PDF looks like, to be seen before it is opened."""

import asyncio
import io
from concurrent.futures import ThreadPoolExecutor

MEDIA_TYPE = "image/png"
MAX_PDF_BYTES = 16 * 1024 * 1024
WIDTH_PX = 720
MAX_HEIGHT_PX = 1_080
_pen = ThreadPoolExecutor(max_workers=1, thread_name_prefix="pictures")
"""PDFium takes no second PDF meanwhile, also when nobody waits for the first any more."""


class NotDrawable(Exception):
    """No PDF, one without a page, or with a lock."""


async def picture_of(pdf: bytes) -> bytes:
    """Its first page as PNG, `WIDTH_PX` wide or `MAX_HEIGHT_PX` high. Raises `NotDrawable`."""
    return await asyncio.get_running_loop().run_in_executor(_pen, _drawn, pdf)


def _drawn(pdf: bytes) -> bytes:
    # Only where plans are looked at.
    import pypdfium2

    try:
        with pypdfium2.PdfDocument(pdf) as document:
            page = document[0]
            width, height = page.get_size()
            scale = min(WIDTH_PX / max(width, 1), MAX_HEIGHT_PX / max(height, 1))
            picture = page.render(scale=scale).to_pil()
    except (pypdfium2.PdfiumError, IndexError, ValueError) as error:
        raise NotDrawable from error
    png = io.BytesIO()
    # Plans have few colours.
    picture.quantize(64).save(png, "PNG", optimize=True)
    return png.getvalue()
