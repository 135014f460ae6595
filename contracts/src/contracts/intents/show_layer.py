"""A loaded layer becomes visible again."""

from contracts.intents.names import Intent
from contracts.intents.spec import IntentSpec

SPEC = IntentSpec(
    intent=Intent.SHOW_LAYER,
    meaning="make loaded layers visible again; "
    'args: name ("*" for all of them), except (names that are left alone)',
    title={
        "de": "Layer einblenden",
        "fr": "Afficher une couche",
        "it": "Mostrare un livello",
        "en": "Make a layer visible",
    },
    example={
        "de": "Blende {subject} wieder ein",
        "fr": "Affiche de nouveau {subject}",
        "it": "Mostra di nuovo {subject}",
        "en": "Show {subject} again",
    },
    subject={
        "de": "den Gewässerschutz",
        "fr": "la protection des eaux",
        "it": "la protezione delle acque",
        "en": "the water protection",
    },
)
