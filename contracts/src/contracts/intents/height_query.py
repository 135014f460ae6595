"""The height above sea level."""

from contracts.intents.names import Intent
from contracts.intents.spec import IntentSpec, Need

SPEC = IntentSpec(
    intent=Intent.HEIGHT_QUERY,
    meaning="tell the height above sea level",
    needs=Need.AREA,
    goal="terrain.height_by_xy",
    title={
        "de": "Höhen abfragen",
        "fr": "Demander des altitudes",
        "it": "Chiedere le altitudini",
        "en": "Tell heights",
    },
    example={
        "de": "Wie hoch liegt {subject}?",
        "fr": "Quelle est l'altitude de {subject} ?",
        "it": "Qual è l'altitudine di {subject}?",
        "en": "What is the altitude of {subject}?",
    },
    subject={"de": "…", "fr": "…", "it": "…", "en": "…"},
    nothing_found={
        "de": "Keine Höhe{about} gefunden. Nenne bitte eine Koordinate oder eine Adresse.",
        "fr": "Aucune altitude trouvée{about}. Indique une coordonnée ou une adresse.",
        "it": "Nessuna altitudine trovata{about}. Indica una coordinata o un indirizzo.",
        "en": "No height found{about}. Please give a coordinate or an address.",
    },
    words={
        "de": "hoehe meereshoehe hoehenlage hoehenangabe hoehenmeter terrainhoehe gelaendehoehe bodenhoehe "
        "hoehenkote wie_hoch auf_wie_viel_metern auf_wie_vielen_metern auf_wieviel_metern meter_ueber_meer "
        "ueber_meer m_ue_m",
        "fr": "altitude hauteur metres_d'altitude quelle_altitude",
        "it": "altitudine altezza quota metri_sul_mare quanto_alto",
        "en": "altitude elevation height how_high",
    },
)
