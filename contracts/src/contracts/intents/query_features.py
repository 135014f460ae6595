"""How many things a layer has somewhere, which they are, and which is the largest."""

from contracts.intents.names import Intent
from contracts.intents.spec import BY_NUMBER, GEOCODE, MUNICIPALITY, PLACE, IntentSpec, Target

QUERY = "features.query"

SPEC = IntentSpec(
    intent=Intent.QUERY_FEATURES,
    meaning="count, list or compare the features of a layer, in a municipality, within the visible "
    "map, on a parcel or around a point",
    goal=QUERY,
    chains={
        Target.NOTHING: ((QUERY,),),
        Target.CURRENT_POINT: ((QUERY,),),
        Target.CURRENT_PARCEL: ((QUERY,),),
        Target.COORDINATE: ((QUERY,),),
        Target.EGRID: ((QUERY,),),
        Target.PARCEL: ((BY_NUMBER, QUERY),),
        Target.ADDRESS: ((GEOCODE, QUERY),),
        Target.MUNICIPALITY: ((MUNICIPALITY, QUERY),),
        Target.PLACE: ((PLACE, QUERY),),
    },
    title={
        "de": "Objekte zählen und auflisten",
        "fr": "Compter et lister des objets",
        "it": "Contare ed elencare oggetti",
        "en": "Count and list features",
    },
    example={
        "de": "{subject}",
        "fr": "{subject}",
        "it": "{subject}",
        "en": "{subject}",
    },
    subject={
        "de": "Wie viele belastete Standorte gibt es in …?",
        "fr": "Combien de sites pollués y a-t-il à … ?",
        "it": "Quanti siti inquinati ci sono a …?",
        "en": "How many contaminated sites are there in …?",
    },
    nothing_found={
        "de": "Nichts{about} gefunden.",
        "fr": "Rien trouvé{about}.",
        "it": "Nulla trovato{about}.",
        "en": "Nothing found{about}.",
    },
)
