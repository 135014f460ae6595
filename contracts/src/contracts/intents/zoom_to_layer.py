"""The map goes where a layer has something to show."""

from contracts.intents.names import Intent
from contracts.intents.spec import IntentSpec, Target

SPEC = IntentSpec(
    intent=Intent.ZOOM_TO_LAYER,
    meaning="zoom the map to the whole extent of a layer, loaded or not",
    goal="layers.search",
    chains={Target.NOTHING: (("layers.search",),)},
    title={
        "de": "Auf einen Layer zoomen",
        "fr": "Zoomer sur une couche",
        "it": "Zoomare su un livello",
        "en": "Zoom to a layer",
    },
    example={
        "de": "Zoome auf {subject}",
        "fr": "Zoome sur {subject}",
        "it": "Zooma su {subject}",
        "en": "Zoom to {subject}",
    },
    subject={
        "de": "den Gewässerschutz",
        "fr": "la protection des eaux",
        "it": "la protezione delle acque",
        "en": "the water protection",
    },
    nothing_found={
        "de": "Keinen Layer{about} gefunden. Nenne bitte einen anderen.",
        "fr": "Aucune couche trouvée{about}. Indiques-en une autre.",
        "it": "Nessun livello trovato{about}. Indicane un altro.",
        "en": "No layer found{about}. Please name another one.",
    },
)
