"""What is known of a point: address, parcel, height, and what the visible layers have there."""

from contracts.intents.names import Intent
from contracts.intents.spec import IntentSpec, Need

SPEC = IntentSpec(
    intent=Intent.IDENTIFY,
    meaning="tell what is at a point: the address, the parcel, the height, and what the loaded layers "
    "say there",
    needs=Need.POINT,
    goal="features.identify",
    title={
        "de": "Sagen, was an einer Stelle ist",
        "fr": "Dire ce qui se trouve à un endroit",
        "it": "Dire che cosa c'è in un punto",
        "en": "Tell what is at a place",
    },
    example={
        "de": "Was ist bei {subject}?",
        "fr": "Qu'y a-t-il à {subject} ?",
        "it": "Che cosa c'è a {subject}?",
        "en": "What is at {subject}?",
    },
    subject={
        "de": "…",
        "fr": "…",
        "it": "…",
        "en": "…",
    },
    nothing_found={
        "de": "An dieser Stelle ist nichts bekannt{about}.",
        "fr": "Rien n'est connu à cet endroit{about}.",
        "it": "In questo punto non è noto nulla{about}.",
        "en": "Nothing is known at this place{about}.",
    },
)
