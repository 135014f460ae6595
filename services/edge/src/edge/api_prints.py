"""The route of the files that tools have made for users."""

from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Annotated, Any

from contracts import prints
from fastapi import APIRouter, Path, Request, Response
from servicekit.objects import ObjectStore, StoredObject, StoreUnavailable
from starlette.responses import StreamingResponse

from edge import errors, pictures
from edge.description import headers_of
from edge.negotiation import has_already
from edge.principals import principal_of
from edge.problems import TO_READ, documented

_FILE: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The file.",
        "content": {prints.MEDIA_TYPE: {"schema": {"type": "string", "format": "binary"}}},
        "headers": headers_of(
            Cache_Control="Private, until it expires.",
            Content_Disposition="Shown in the browser; the name is for saving it.",
            ETag="For If-None-Match.",
            Last_Modified="When it was made.",
            Vary="Another principal is somebody else.",
        ),
    },
    304: {"description": "The client has it already."},
}
_PICTURE: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The picture.",
        "content": {pictures.MEDIA_TYPE: {"schema": {"type": "string", "format": "binary"}}},
        "headers": _FILE[200]["headers"],
    },
    304: _FILE[304],
}


def print_routes(store: ObjectStore) -> APIRouter:
    """Any replica serves any file: nothing is kept here."""
    router = APIRouter()

    async def opened(request: Request, print_id: str) -> StoredObject:
        if not prints.is_id(print_id):
            raise errors.PrintNotFound()
        try:
            found = await store.open(prints.name_of(principal_of(request.scope).owner, print_id))
        except StoreUnavailable as error:
            raise errors.PrintsUnavailable() from error
        if found is None:
            raise errors.PrintNotFound()
        return found

    @router.get(
        "/api/prints/{id}/picture",
        tags=["prints"],
        summary="Look at a plan",
        response_class=Response,
        responses={
            **_PICTURE,
            **documented(*TO_READ, errors.PrintNotFound, errors.PictureNotFound, errors.PrintsUnavailable),
        },
    )
    async def get_picture(request: Request, print_id: Annotated[str, Path(alias="id")]) -> Response:
        """The first page of the PDF as a small PNG, to be seen before it is opened."""
        found = await opened(request, print_id)
        headers = _headers(print_id, found, "png")
        if has_already(request.headers.get("if-none-match", ""), headers["ETag"]):
            return Response(status_code=304, headers=headers)
        try:
            if found.size_bytes > pictures.MAX_PDF_BYTES:
                raise pictures.NotDrawable
            picture = await pictures.picture_of(b"".join([chunk async for chunk in found.chunks]))
        except StoreUnavailable as error:
            raise errors.PrintsUnavailable() from error
        except pictures.NotDrawable as error:
            raise errors.PictureNotFound() from error
        return Response(picture, headers=headers, media_type=pictures.MEDIA_TYPE)

    # Everything below this path is an id, or none: a slash in it leads nowhere else.
    @router.head("/api/prints/{id:path}", include_in_schema=False)
    @router.get(
        "/api/prints/{id:path}",
        tags=["prints"],
        summary="Download a plan",
        response_class=Response,
        responses={**_FILE, **documented(*TO_READ, errors.PrintNotFound, errors.PrintsUnavailable)},
    )
    async def get_print(request: Request, print_id: Annotated[str, Path(alias="id")]) -> Response:
        """The PDF behind a link in an answer, for whom it was made, until it expires."""
        found = await opened(request, print_id)
        headers = _headers(print_id, found)
        if has_already(request.headers.get("if-none-match", ""), headers["ETag"]):
            return Response(status_code=304, headers=headers)
        headers["Content-Length"] = str(found.size_bytes)
        if request.method == "HEAD":
            return Response(headers=headers, media_type=prints.MEDIA_TYPE)
        return StreamingResponse(found.chunks, headers=headers, media_type=prints.MEDIA_TYPE)

    return router


def _headers(print_id: str, found: StoredObject, kind: str = "pdf") -> dict[str, str]:
    left_s = max(0, int((found.expires_at - datetime.now(UTC)).total_seconds()))
    return {
        "Cache-Control": f"private, max-age={left_s}",
        "Content-Disposition": f'inline; filename="grundbuchplan-{print_id[:8]}.{kind}"',
        # An id stands for one content, for ever.
        "ETag": f'"{print_id}"' if kind == "pdf" else f'"{print_id}.{kind}"',
        "Last-Modified": format_datetime(found.modified.astimezone(UTC), usegmt=True),
        # Somebody else may use the same browser later.
        "Vary": "Authorization, Cookie",
        "X-Content-Type-Options": "nosniff",
    }
