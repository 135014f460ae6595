"""How many questions of citizens, in which no place and no layer is named, go to the documents."""

from uuid import uuid4

import pytest
from answering.questions import HELD, SEEN, Question, questions
from contracts.chat import ChatRequest
from contracts.intents import Intent
from in_memory import InMemorySystem

REACHED = {SEEN: 0.95, HELD: 0.89}
"""May not be lost."""


@pytest.mark.parametrize("half", [SEEN, HELD])
async def test_a_question_about_rules_goes_to_the_documents(half: str) -> None:
    asked = [each for language in ("de", "fr") for each in questions(half, language)]
    if not asked:
        pytest.skip("there is no held half")
    system = InMemorySystem()
    await system.start()
    try:
        share = sum([await _goes_to_documents(system, each) for each in asked]) / len(asked)
    finally:
        await system.stop()
    print(f"\n\n{half} half: {share:.1%} of {len(asked)} questions go to the documents")
    assert share >= REACHED[half]


async def _goes_to_documents(system: InMemorySystem, question: Question) -> bool:
    request = ChatRequest(session_id=uuid4().hex, user_message=question.text)
    response = await system.answer(request, uuid4().hex, question.language)
    return {step.intent for step in response.steps} == {Intent.SEARCH_DOCUMENTS}
