"""How far it is from one place to another, as the crow flies."""

from contracts.intents.names import Intent
from contracts.intents.spec import IntentSpec, Target

SPEC = IntentSpec(
    intent=Intent.MEASURE_DISTANCE,
    meaning="tell the distance between two places as the crow flies; args of the tool: start and end "
    "as texts, x and y instead of start for the selected place",
    goal="geolocation.distance",
    chains=dict.fromkeys(Target, (("geolocation.distance",),)),
    title={
        "de": "Distanzen messen",
        "fr": "Mesurer des distances",
        "it": "Misurare distanze",
        "en": "Measure distances",
    },
    example={
        "de": "Wie weit ist es von {subject}?",
        "fr": "Quelle est la distance de {subject} ?",
        "it": "Quanto dista {subject}?",
        "en": "How far is it from {subject}?",
    },
    subject={
        "de": "… nach …",
        "fr": "… à …",
        "it": "… da …",
        "en": "… to …",
    },
)
