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
    say = text.speaking(request.language)
    lines = [f"- {mark(ok=r.ok)} {' '.join(r.text.split())}" for r in request.results]
    answer = prose("\n".join([say("results_intro"), "", *lines]) if lines else say("no_results"))
    await voice.say(answer)
    return Written(answer, AUTHOR)
