"""A plan of a parcel, for printing."""

from contracts.intents.names import Intent
from contracts.intents.spec import IntentSpec, Need

SPEC = IntentSpec(
    intent=Intent.CADASTRAL_PLAN,
    meaning="make a cadastral plan (Grundbuchplan) of a parcel",
    needs=Need.PARCEL,
    goal="cadastral.plan_by_geometry",
    title={
        "de": "Grundbuchpläne erstellen",
        "fr": "Établir des plans du registre foncier",
        "it": "Creare piani per il registro fondiario",
        "en": "Make cadastral plans",
    },
    example={
        "de": "Mache mir einen Grundbuchplan von {subject}",
        "fr": "Fais-moi un plan du registre foncier pour {subject}",
        "it": "Fammi un piano per il registro fondiario per {subject}",
        "en": "Make me a cadastral plan of {subject}",
    },
    subject={
        "de": "Grundstück 1 in …",
        "fr": "la parcelle 1 à …",
        "it": "il fondo 1 a …",
        "en": "parcel 1 in …",
    },
    nothing_found={
        "de": "Kein Grundbuchplan{about} gefunden. Nenne bitte ein Grundstück.",
        "fr": "Aucun plan du registre foncier trouvé{about}. Indique un immeuble.",
        "it": "Nessun piano per il registro fondiario trovato{about}. Indica un fondo.",
        "en": "No cadastral plan found{about}. Please name a parcel.",
    },
    explained={
        "de": "Der Grundbuchplan zeigt die Grenzen, Gebäude und Nummern der Grundstücke aus der amtlichen "
        "Vermessung. Sag mir, für welches Grundstück du ihn brauchst.",
        "fr": "Le plan du registre foncier montre les limites, les bâtiments et les numéros des immeubles "
        "tirés de la mensuration officielle. Dis-moi pour quel immeuble il te le faut.",
        "it": "Il piano per il registro fondiario mostra i confini, gli edifici e i numeri dei fondi dalla "
        "misurazione ufficiale. Dimmi per quale fondo ti serve.",
        "en": "The cadastral plan shows the boundaries, buildings and numbers of parcels from the cadastral "
        "survey. Tell me for which parcel you need it.",
    },
    words={
        "de": "grundbuchplan* katasterplan situationsplan parzellenplan planauszug plan_fuer_das_grundbuch "
        "plans_fuer_das_grundbuch grundbuch_plan",
        "fr": "plan_du_registre_foncier plan_cadastral plan_de_situation",
        "it": "piano_per_il_registro_fondiario piano_catastale planimetria",
        "en": "cadastral_plan land_register_plan site_plan",
    },
)
