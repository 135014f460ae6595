"""What holds for every answered question about documents."""

import json
import re

from .running import Json

QUESTION = "Was kostet die Ausscheidung der Grundwasserschutzzonen?"


def cited(step: Json) -> set[int]:
    return {int(n) for n in re.findall(r"\[(\d+)\]", step["message"])}


def check_research(step: Json) -> Json:
    """The research of a step, checked."""
    research: Json = step["research"]
    documents = {document["id"]: document for document in research["trackedDocuments"]}
    assert all(document["isChecked"] and document["relevanceReason"] for document in documents.values())
    sources = research["sources"]
    assert {source["n"] for source in sources} == cited(step)
    for source in sources:
        document = documents[source["id"]]
        assert document["isRelevant"]
        assert (source["name"], source["url"]) == (document["name"], document["url"])
    relevant = {id for id, document in documents.items() if document["isRelevant"]}
    assert all(set(proposal["documentIds"]) & relevant for proposal in research["trackedProposals"])
    assert "passages" not in json.dumps(research) and "errorInfo" not in research
    return research
