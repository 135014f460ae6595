"""Whether a geothermal probe may be drilled, and how deep."""

from contracts.intents.names import Intent
from contracts.intents.spec import IntentSpec, Need

SPEC = IntentSpec(
    intent=Intent.GEOTHERMAL_PROBE_ASSESSMENT,
    meaning="say whether, and how deep, a geothermal probe may be drilled",
    needs=Need.POINT,
    goal="geothermal.assess_by_xy",
    title={
        "de": "Prüfen, ob eine Erdwärmesonde möglich ist",
        "fr": "Vérifier si une sonde géothermique est possible",
        "it": "Verificare se una sonda geotermica è possibile",
        "en": "Check whether a geothermal probe is possible",
    },
    example={
        "de": "Kann ich bei {subject} eine Erdwärmesonde bohren?",
        "fr": "Une sonde géothermique est-elle possible à {subject} ?",
        "it": "Una sonda geotermica è possibile a {subject}?",
        "en": "Is a geothermal probe possible at {subject}?",
    },
    subject={"de": "…", "fr": "…", "it": "…", "en": "…"},
    nothing_found={
        "de": "Keine Auskunft zu Erdwärmesonden{about} gefunden. Nenne bitte eine Koordinate.",
        "fr": "Aucun renseignement sur les sondes géothermiques trouvé{about}. Indique une coordonnée.",
        "it": "Nessuna informazione sulle sonde geotermiche trovata{about}. Indica una coordinata.",
        "en": "No information on geothermal probes found{about}. Please give a coordinate.",
    },
    explained={
        "de": "Eine Erdwärmesonde holt Wärme aus dem Boden. Nicht überall darf gebohrt werden; nenne mir "
        "einen Ort, dann frage ich ab, ob und wie tief.",
        "fr": "Une sonde géothermique tire de la chaleur du sol. Il n'est pas permis de forer partout ; "
        "indique-moi un lieu et je vérifie si c'est possible, et jusqu'à quelle profondeur.",
        "it": "Una sonda geotermica ricava calore dal suolo. Non si può perforare ovunque; indicami un luogo "
        "e verifico se è possibile, e fino a quale profondità.",
        "en": "A geothermal probe draws heat from the ground. Drilling is not allowed everywhere; name a "
        "place, and I check whether it is possible, and how deep.",
    },
    words={
        "de": "erdwaermesonde erdwaermesonden erdsonde* erdwaerme* geothermie geotherm* sonde sonden bohren "
        "bohrung* bohrtief* wie_tief_kann wie_tief_darf",
        "fr": "sonde_geothermique sondes_geothermiques geothermie geothermique* forage forages",
        "it": "sonda_geotermica sonde_geotermiche geotermia geotermic* perforazione perforazioni",
        "en": "geothermal ground-source_heating ground-source_heat_pump geothermal_probe borehole "
        "drilling drill",
    },
)
