"""The extract of the cadastre of public-law restrictions on landownership, or an answer from it."""

from contracts.intents.names import Intent
from contracts.intents.spec import IntentSpec, Need

SPEC = IntentSpec(
    intent=Intent.OEREB_EXTRACT,
    meaning=(
        "get the extract of the cadastre of public-law restrictions (ÖREB) of a parcel, or have a question "
        "answered from it: in which zone it is, what restricts it and how much of it, laws, what is planned"
    ),
    needs=Need.EGRID,
    goal="oereb.extract_by_id",
    title={
        "de": "ÖREB-Auszüge erstellen",
        "fr": "Établir des extraits RDPPF",
        "it": "Creare estratti RDPP",
        "en": "Get extracts of the PLR cadastre",
    },
    example={
        "de": "Erstelle einen ÖREB-Auszug für {subject}",
        "fr": "Établis un extrait RDPPF pour {subject}",
        "it": "Crea un estratto RDPP per {subject}",
        "en": "Get a PLR extract for {subject}",
    },
    subject={
        "de": "Grundstück 1 in …",
        "fr": "la parcelle 1 à …",
        "it": "il fondo 1 a …",
        "en": "parcel 1 in …",
    },
    nothing_found={
        "de": "Keinen ÖREB-Auszug{about} gefunden. Nenne bitte ein Grundstück oder eine Koordinate.",
        "fr": "Aucun extrait du cadastre RDPPF trouvé{about}. Indique un immeuble ou une coordonnée.",
        "it": "Nessun estratto del Catasto RDPP trovato{about}. Indica un fondo o una coordinata.",
        "en": "No extract of the PLR cadastre found{about}. Please name a parcel or a coordinate.",
    },
    explained={
        "de": "Der ÖREB-Auszug zeigt die öffentlich-rechtlichen Eigentumsbeschränkungen, die für ein "
        "Grundstück gelten, zum Beispiel aus Zonenplänen oder Gewässerschutzzonen. Sag mir, für welches "
        "Grundstück du ihn brauchst.",
        "fr": "L'extrait RDPPF montre les restrictions de droit public à la propriété foncière qui touchent "
        "un immeuble, par exemple celles des plans de zones ou de la protection des eaux. Dis-moi pour quel "
        "immeuble il te le faut.",
        "it": "L'estratto RDPP mostra le restrizioni di diritto pubblico della proprietà di un fondo, per "
        "esempio quelle dei piani di zona o della protezione delle acque. Dimmi per quale fondo ti serve.",
        "en": "The PLR extract shows the public-law restrictions on landownership of a parcel, for example "
        "from zoning or groundwater protection. Tell me for which parcel you need it.",
    },
    words={
        "de": "oereb* oreb* oerebk katasterauszug katasterauszuege einschraenkung einschraenkungen "
        "beschraenkung beschraenkungen eigentumsbeschraenkung* auflagen bauvorschriften baubeschraenkung "
        "baubeschraenkungen nutzungsbeschraenkung nutzungsbeschraenkungen was_gilt welche_vorschriften",
        "fr": "rdppf restriction restrictions extrait_rdppf extrait_du_cadastre",
        "it": "rdpp restrizione restrizioni estratto_rdpp",
        "en": "plr restriction restrictions plr_extract",
    },
)
