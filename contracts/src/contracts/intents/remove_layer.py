"""A loaded layer goes."""

from contracts.intents.names import Intent
from contracts.intents.spec import IntentSpec

SPEC = IntentSpec(
    intent=Intent.REMOVE_LAYER,
    meaning="take loaded layers off the map; "
    'args: name ("*" for all of them), except (names that are left alone)',
    title={
        "de": "Layer entfernen",
        "fr": "Retirer une couche",
        "it": "Rimuovere un livello",
        "en": "Remove a layer",
    },
    example={
        "de": "Entferne {subject}",
        "fr": "Retire {subject}",
        "it": "Rimuovi {subject}",
        "en": "Remove {subject}",
    },
    subject={
        "de": "den Gewässerschutz",
        "fr": "la protection des eaux",
        "it": "la protezione delle acque",
        "en": "the water protection",
    },
)
