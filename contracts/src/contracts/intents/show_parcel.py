"""A parcel, or what is at a point."""

from contracts.intents.names import Intent
from contracts.intents.spec import BY_EGRID, IntentSpec, Need, Target

SPEC = IntentSpec(
    intent=Intent.SHOW_PARCEL,
    meaning="show a parcel, or what is at a point",
    needs=Need.PARCEL,
    chains={Target.EGRID: ((BY_EGRID,),), Target.CURRENT_PARCEL: ((BY_EGRID,),)},
    title={
        "de": "Grundstücke anzeigen",
        "fr": "Montrer des immeubles",
        "it": "Mostrare fondi",
        "en": "Show parcels",
    },
    example={
        "de": "Zeige mir {subject}",
        "fr": "Montre-moi {subject}",
        "it": "Mostrami {subject}",
        "en": "Show me {subject}",
    },
    subject={
        "de": "Grundstück 1 in …",
        "fr": "la parcelle 1 à …",
        "it": "il fondo 1 a …",
        "en": "parcel 1 in …",
    },
    nothing_found={
        "de": "Kein Grundstück{about} gefunden. Nenne bitte Nummer und Gemeinde oder den EGRID.",
        "fr": "Aucun immeuble trouvé{about}. Indique le numéro et la commune, ou l’EGRID.",
        "it": "Nessun fondo trovato{about}. Indica il numero e il comune oppure l’EGRID.",
        "en": "No parcel found{about}. Please give the number and the municipality, or the EGRID.",
    },
    explained={
        "de": "Die EGRID ist die schweizweit eindeutige Nummer eines Grundstücks: CH und 12 Ziffern.",
        "fr": "L'EGRID est le numéro unique d'un immeuble dans toute la Suisse : CH et 12 chiffres.",
        "it": "L'EGRID è il numero univoco di un fondo in tutta la Svizzera: CH e 12 cifre.",
        "en": "The EGRID is the number of a parcel that is unique in Switzerland: CH and 12 digits.",
    },
)
