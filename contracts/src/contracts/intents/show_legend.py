"""What the colours of a loaded layer mean."""

from contracts.intents.names import Intent
from contracts.intents.spec import IntentSpec

SPEC = IntentSpec(
    intent=Intent.SHOW_LEGEND,
    meaning="show the legend of a loaded layer; args: name",
    title={
        "de": "Legende zeigen",
        "fr": "Montrer la légende",
        "it": "Mostrare la legenda",
        "en": "Show the legend",
    },
    example={
        "de": "Zeige die Legende zu «{subject}»",
        "fr": "Montre la légende de « {subject} »",
        "it": "Mostra la legenda di «{subject}»",
        "en": "Show the legend of “{subject}”",
    },
    subject={
        "de": "Gewässerschutz",
        "fr": "protection des eaux",
        "it": "protezione delle acque",
        "en": "water protection",
    },
)
