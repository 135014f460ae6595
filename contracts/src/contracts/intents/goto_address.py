"""A street or a building on the map."""

from contracts.intents.names import Intent
from contracts.intents.spec import GEOCODE, IntentSpec, Target

SPEC = IntentSpec(
    intent=Intent.GOTO_ADDRESS,
    meaning="show a street or a building on the map",
    chains={Target.ADDRESS: ((GEOCODE,),)},
    title={
        "de": "Adressen anzeigen",
        "fr": "Montrer des adresses",
        "it": "Mostrare indirizzi",
        "en": "Show addresses",
    },
    example={
        "de": "Gehe zur Adresse {subject}",
        "fr": "Va à l'adresse {subject}",
        "it": "Vai all'indirizzo {subject}",
        "en": "Go to the address {subject}",
    },
    subject={
        "de": "Bahnhofstrasse 1 in …",
        "fr": "rue de la Gare 1 à …",
        "it": "via della Stazione 1 a …",
        "en": "Bahnhofstrasse 1 in …",
    },
    nothing_found={
        "de": "Keine Adresse{about} gefunden. Nenne bitte Strasse, Hausnummer und Ort.",
        "fr": "Aucune adresse trouvée{about}. Indique la rue, le numéro et la localité.",
        "it": "Nessun indirizzo trovato{about}. Indica via, numero civico e località.",
        "en": "No address found{about}. Please give the street, house number and town.",
    },
)
