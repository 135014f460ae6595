"""The last change of the map is taken back."""

from contracts.intents.names import Intent
from contracts.intents.spec import IntentSpec

SPEC = IntentSpec(
    intent=Intent.UNDO,
    meaning="undo the last change of the map, whoever has made it; args: steps (how many changes, 1 "
    "unless said otherwise)",
    title={
        "de": "Rückgängig machen",
        "fr": "Annuler",
        "it": "Annullare",
        "en": "Undo",
    },
    example={
        "de": "Mach das rückgängig",
        "fr": "Annule ça",
        "it": "Annulla l'ultima modifica",
        "en": "Undo that",
    },
)
