"""A loaded layer becomes invisible and stays loaded."""

from contracts.intents.names import Intent
from contracts.intents.spec import IntentSpec

SPEC = IntentSpec(
    intent=Intent.HIDE_LAYER,
    meaning="make loaded layers invisible, without taking them off; "
    'args: name ("*" for all of them), except (names that are left alone)',
    title={
        "de": "Layer ausblenden",
        "fr": "Masquer une couche",
        "it": "Nascondere un livello",
        "en": "Hide a layer",
    },
    example={
        "de": "Blende {subject} aus",
        "fr": "Masque {subject}",
        "it": "Nascondi {subject}",
        "en": "Hide {subject}",
    },
    subject={
        "de": "den Gewässerschutz",
        "fr": "la protection des eaux",
        "it": "la protezione delle acque",
        "en": "the water protection",
    },
)
