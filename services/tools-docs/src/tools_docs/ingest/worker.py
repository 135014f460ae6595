"""The process that reads documents: `python -m tools_docs.ingest.worker`, see `ingest.reader`.

In: a line of JSON (`format`, `origin`, `size`), then the content. Out: a line with the length of a JSON
object, then the object.
"""

import json
import sys
from contextlib import suppress

from pydantic import TypeAdapter

from tools_docs.corpus import SourceDocument
from tools_docs.formats.kinds import Format, read
from tools_docs.formats.reading import Origin, Problem, Unreadable

MAX_MEMORY_BYTES = 2_000_000_000
"""A page that unpacks to more is an attack or an accident."""

_ORIGIN = TypeAdapter(Origin)
_DOCUMENT = TypeAdapter(SourceDocument)


def main() -> None:
    _limit_memory()
    # What libraries print must not get into the answers.
    answers, sys.stdout = sys.stdout.buffer, sys.stderr
    with suppress(KeyboardInterrupt):
        while head := sys.stdin.buffer.readline():
            asked = json.loads(head)
            content = sys.stdin.buffer.read(asked["size"])
            origin = _ORIGIN.validate_python(asked["origin"])
            body = json.dumps(_answer(Format(asked["format"]), content, origin)).encode()
            answers.write(f"{len(body)}\n".encode() + body)
            answers.flush()


def _answer(kind: Format, content: bytes, origin: Origin) -> dict[str, object]:
    try:
        return {"document": _DOCUMENT.dump_python(read(kind, content, origin), mode="json")}
    except Unreadable as reason:
        return {"problem": reason.problem, "detail": reason.detail}
    except MemoryError:
        return {"problem": Problem.TOO_LARGE, "detail": ""}
    except Exception as error:
        # Whatever a library stumbles over, it is about this document.
        return {"problem": Problem.BROKEN, "detail": f"{type(error).__name__}: {error}"[:200]}


def _limit_memory() -> None:
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY_BYTES, MAX_MEMORY_BYTES))


if __name__ == "__main__":
    main()
