"""A municipality, a village or another named place on the map."""

from contracts.intents.names import Intent
from contracts.intents.spec import BY_XY, MUNICIPALITY, PLACE, IntentSpec, Target

SPEC = IntentSpec(
    intent=Intent.SEARCH_PLACE,
    meaning="show a municipality, a village or another named place on the map",
    chains={
        Target.MUNICIPALITY: ((MUNICIPALITY,), (PLACE,)),
        Target.PLACE: ((PLACE,), (MUNICIPALITY,)),
        Target.COORDINATE: ((PLACE,), (BY_XY,)),
    },
    title={
        "de": "Gemeinden und Orte anzeigen",
        "fr": "Montrer des communes et des lieux",
        "it": "Mostrare comuni e luoghi",
        "en": "Show municipalities and places",
    },
    example={
        "de": "Zeige mir die Gemeinde {subject}",
        "fr": "Montre-moi la commune de {subject}",
        "it": "Mostrami il comune di {subject}",
        "en": "Show me the municipality of {subject}",
    },
    subject={"de": "…", "fr": "…", "it": "…", "en": "…"},
    nothing_found={
        "de": "Keinen Ort{about} gefunden. Nenne bitte eine Gemeinde oder einen Ort.",
        "fr": "Aucun lieu trouvé{about}. Indique une commune ou un lieu.",
        "it": "Nessun luogo trovato{about}. Indica un comune o un luogo.",
        "en": "No place found{about}. Please name a municipality or a place.",
    },
)
