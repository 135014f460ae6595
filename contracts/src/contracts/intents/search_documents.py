"""An answer from the documents of council and administration."""

from contracts.intents.names import Intent
from contracts.intents.spec import IntentSpec

SPEC = IntentSpec(
    intent=Intent.SEARCH_DOCUMENTS,
    meaning=(
        "answer a question from the documents of council and administration: rules, costs, deadlines, "
        "decisions, proposals"
    ),
    goal="documents.retrieve",
    title={
        "de": "Dokumente suchen",
        "fr": "Chercher des documents",
        "it": "Cercare documenti",
        "en": "Search documents",
    },
    example={
        "de": "Suche Dokumente zum Thema {subject}",
        "fr": "Cherche des documents sur {subject}",
        "it": "Cerca documenti su {subject}",
        "en": "Search documents about {subject}",
    },
    subject={"de": "Radwege", "fr": "Radwege", "it": "Radwege", "en": "Radwege"},
    nothing_found={
        "de": "Keine Dokumente{about} gefunden. Bitte formuliere deine Frage anders.",
        "fr": "Aucun document trouvé{about}. Formule ta question autrement.",
        "it": "Nessun documento trovato{about}. Formula la tua domanda in un altro modo.",
        "en": "No documents found{about}. Please put your question differently.",
    },
)
