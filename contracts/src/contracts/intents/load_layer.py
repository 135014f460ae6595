"""A map about a topic."""

from contracts.intents.names import Intent
from contracts.intents.spec import IntentSpec

SPEC = IntentSpec(
    intent=Intent.LOAD_LAYER,
    meaning="add a map layer about a topic",
    goal="layers.search",
    title={
        "de": "Karten suchen und laden",
        "fr": "Chercher et charger des cartes",
        "it": "Cercare e caricare carte",
        "en": "Find and load maps",
    },
    example={
        "de": "Lade die Karte {subject}",
        "fr": "Charge la carte {subject}",
        "it": "Carica la carta {subject}",
        "en": "Load the map {subject}",
    },
    subject={"de": "Wasser", "fr": "eau", "it": "acqua", "en": "water"},
    nothing_found={
        "de": "Keinen Layer{about} gefunden. Nenne bitte ein anderes Thema.",
        "fr": "Aucune couche trouvée{about}. Indique un autre thème.",
        "it": "Nessun livello trovato{about}. Indica un altro tema.",
        "en": "No layer found{about}. Please name another topic.",
    },
)
