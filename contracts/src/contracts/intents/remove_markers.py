"""What was marked on the map is marked no longer; layers stay."""

from contracts.intents.names import Intent
from contracts.intents.spec import IntentSpec

SPEC = IntentSpec(
    intent=Intent.REMOVE_MARKERS,
    meaning="take the markers, outlines and found features off the map; layers stay",
    title={
        "de": "Markierungen entfernen",
        "fr": "Enlever les marques",
        "it": "Rimuovere i segni",
        "en": "Remove markers",
    },
    example={
        "de": "Entferne die Markierungen",
        "fr": "Enlève les marques",
        "it": "Rimuovi i segni",
        "en": "Remove the markers",
    },
)
