"""An answer without a model about what a turn has done. Pure."""

from contracts.markdown import prose
from contracts.messages import AnswerRequested

from responder.texts import text
from responder.writing import Voice, Written

AUTHOR = "template"


def mark(*, ok: bool) -> str:
    return "✓" if ok else "✗"


async def write(request: AnswerRequested, voice: Voice) -> Written:
    """A line for each step."""
    language = request.language
    lines = [
        text("results_line", language, mark=mark(ok=r.ok), text=" ".join(r.text.split()))
        for r in request.results
    ]
    answer = (
        "\n".join([text("results_intro", language), "", *lines]) if lines else text("no_results", language)
    )
    answer = prose(answer)
    await voice.say(answer)
    return Written(answer, AUTHOR)
