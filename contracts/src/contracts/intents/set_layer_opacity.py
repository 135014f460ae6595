"""A loaded layer lets shine through what is below it."""

from contracts.intents.names import Intent
from contracts.intents.spec import IntentSpec

SPEC = IntentSpec(
    intent=Intent.SET_LAYER_OPACITY,
    meaning='make loaded layers more or less transparent; args: name ("*" for all of them), opacity (0 '
    "invisible to 1 opaque), except",
    title={
        "de": "Layer durchsichtig machen",
        "fr": "Rendre une couche transparente",
        "it": "Rendere trasparente un livello",
        "en": "Make a layer transparent",
    },
    example={
        "de": "Mach {subject} halb durchsichtig",
        "fr": "Rends {subject} à moitié transparente",
        "it": "Rendi {subject} semitrasparente",
        "en": "Make {subject} half transparent",
    },
    subject={
        "de": "den Gewässerschutz",
        "fr": "la protection des eaux",
        "it": "la protezione delle acque",
        "en": "the water protection",
    },
)
