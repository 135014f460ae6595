"""Errors as HTTP answers: problem details, and their place in the OpenAPI description."""

from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import quote

from contracts.languages import DEFAULT_LANGUAGE, Language
from contracts.problems import MEDIA_TYPE, FieldProblem, Problem, problem_type
from pydantic import ValidationError
from pydantic_core import ErrorDetails
from starlette.responses import Response

from edge import errors
from edge.errors import Finding
from edge.texts import text

REQUEST_ID_HEADER = "Ask-Request-Id"
_MAX_FIELD_PROBLEMS = 10
TO_READ = (errors.Unauthenticated, errors.InvalidToken, errors.Forbidden, errors.ProviderUnavailable)
"""What credentials can be refused with."""
TO_CHANGE = (*TO_READ, errors.OriginRefused)
"""The same where something changes, which the page of another server must not do."""
_OF_PARAMETERS: dict[tuple[int | str, ...], Callable[[], errors.EdgeError]] = {
    ("header", "Last-Event-ID"): errors.InvalidEventId,
    ("query", "after"): errors.InvalidEventId,
}
"""What has a code of its own."""
_MAX_POINTER_CHARS = 200
_MAX_FINDINGS = 500
"""Beyond it only their number is looked at: the list of them costs more than the request."""


def turn_path(request_id: str) -> str:
    """Where a turn can be looked at."""
    return f"/api/chat/{request_id}"


def problem_of(error: errors.EdgeError, language: Language = DEFAULT_LANGUAGE) -> Problem:
    """The body that tells a client about an error."""
    findings = tuple(_told(finding, language) for finding in error.errors)
    return Problem(
        type=problem_type(error.code),
        title=error.title(),
        status=error.status,
        detail=text(error.code, language, **error.values),
        code=error.code,
        request_id=error.request_id,
        errors=findings or None,
    )


def _told(finding: Finding, language: Language) -> FieldProblem:
    return FieldProblem(pointer=finding.pointer, detail=text(finding.key, language, **finding.values))


def response_of(error: errors.EdgeError, language: Language = DEFAULT_LANGUAGE) -> Response:
    """The whole answer, with the headers that belong to it."""
    headers = {"Content-Language": language, "Vary": "Accept-Language", **error.headers}
    if error.request_id:
        headers[REQUEST_ID_HEADER] = error.request_id
        if error.pollable:
            headers["Location"] = turn_path(error.request_id)
    if error.retry_after_s is not None:
        headers["Retry-After"] = str(error.retry_after_s)
    return Response(problem_of(error, language).to_json(), error.status, headers, MEDIA_TYPE)


def findings_of(error: ValidationError) -> list[ErrorDetails]:
    """What pydantic found in a body, as FastAPI tells it; the client's own values are not repeated.

    Raises `InvalidRequest` where it is too much to be listed.
    """
    if error.error_count() > _MAX_FINDINGS:
        raise refused("#", "other")
    findings = error.errors(include_url=False, include_input=False)
    return [{**finding, "loc": ("body", *finding["loc"])} for finding in findings]


def invalid(findings: Sequence[ErrorDetails], document: Any = None) -> errors.EdgeError:
    """What is wrong with a request, as an error of ours.

    With the document, as it was parsed, places are told without the kinds of value that were tried there.
    """
    fields: dict[str, Finding] = {}
    for finding in findings:
        if len(fields) == _MAX_FIELD_PROBLEMS:
            break
        _, *location = finding["loc"]
        if kind := _OF_PARAMETERS.get(finding["loc"][:2]):
            return kind()
        key, where = f"field_{finding['type']}", pointer(_place(location, finding["type"], document))
        if finding["type"] == "value_error":
            # The one rule about the request as a whole.
            key, where = "field_nothing_asked", "#/userMessage"
        if not text.knows(key):
            key = "field_other"
        fields.setdefault(where, Finding(where, key, finding.get("ctx", {})))
    return errors.InvalidRequest(errors=tuple(fields.values()))


def refused(where: str, key: str, **values: object) -> errors.InvalidRequest:
    """One thing that is wrong, at a place of the document; `key` is that of the sentence."""
    return errors.InvalidRequest(errors=(Finding(where, f"field_{key}", values),))


def _place(location: Sequence[int | str], kind: str, read: Any) -> Sequence[int | str]:
    """Where in the document. Pydantic also names the members of a union that it has tried."""
    if read is None:
        return location
    place: list[int | str] = []
    for n, part in enumerate(location):
        inside = part in (
            read if isinstance(read, dict) else range(len(read)) if isinstance(read, list) else ()
        )
        if inside:
            read = read[part]
        if inside or (n == len(location) - 1 and kind == "missing"):
            place.append(part)
    return place


def pointer(location: Sequence[int | str]) -> str:
    """A place in a document, as the fragment of an address."""
    names = (str(part)[:_MAX_POINTER_CHARS] for part in location)
    parts = (quote(name.replace("~", "~0").replace("/", "~1"), safe="~") for name in names)
    return "".join(("#", *(f"/{part}" for part in parts)))[:_MAX_POINTER_CHARS]


def documented(*kinds: type[errors.EdgeError], **values: object) -> dict[int | str, dict[str, Any]]:
    """The OpenAPI `responses` for errors; those with the same status share an entry."""
    responses: dict[int | str, dict[str, Any]] = {}
    for kind in kinds:
        example = problem_of(kind(**values)).model_dump(mode="json", exclude_none=True)  # type: ignore[arg-type]
        entry = responses.setdefault(kind.status, {"description": "", "content": {MEDIA_TYPE: _schema()}})
        entry["description"] = " ".join(filter(None, (entry["description"], kind.title())))
        entry["content"][MEDIA_TYPE]["examples"][kind.code] = {"value": example}
        if kind.retry_after_s is not None:
            entry.setdefault("headers", {})["Retry-After"] = _header("Seconds until the next try.")
        if kind.pollable:
            entry.setdefault("headers", {})["Location"] = _header("Where the answer will be.")
    responses["default"] = {"description": errors.InternalError.title(), "content": {MEDIA_TYPE: _schema()}}
    return responses


def _schema() -> dict[str, Any]:
    return {"schema": {"$ref": "#/components/schemas/Problem"}, "examples": {}}


def _header(description: str) -> dict[str, Any]:
    return {"description": description, "schema": {"type": "string"}}
