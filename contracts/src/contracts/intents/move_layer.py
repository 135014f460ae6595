"""A loaded layer goes above or below the others."""

from contracts.intents.names import Intent
from contracts.intents.spec import IntentSpec

SPEC = IntentSpec(
    intent=Intent.MOVE_LAYER,
    meaning="change the order of loaded layers; args: name, to (top, bottom, up or down), or above or "
    "below (the name of another loaded layer)",
    title={
        "de": "Layer ordnen",
        "fr": "Ordonner les couches",
        "it": "Ordinare i livelli",
        "en": "Order layers",
    },
    example={
        "de": "Lege {subject} zuoberst",
        "fr": "Mets {subject} tout en haut",
        "it": "Metti {subject} in cima",
        "en": "Put {subject} on top",
    },
    subject={
        "de": "den Gewässerschutz",
        "fr": "la protection des eaux",
        "it": "la protezione delle acque",
        "en": "the water protection",
    },
)
