"""The coordinates of a place, in the systems that are in use."""

from contracts.intents.spec import IntentSpec, Need

SPEC = IntentSpec(
    intent="coordinate_query",
    meaning="tell the coordinates of a place in LV95, LV03 and WGS84",
    needs=Need.AREA,
    goal="geolocation.coordinates_by_xy",
    title={
        "de": "Koordinaten angeben",
        "fr": "Indiquer des coordonnées",
        "it": "Indicare coordinate",
        "en": "Tell coordinates",
    },
    example={
        "de": "Welche Koordinaten hat {subject}?",
        "fr": "Quelles coordonnées a {subject} ?",
        "it": "Quali coordinate ha {subject}?",
        "en": "Which coordinates does {subject} have?",
    },
    subject={
        "de": "Grundstück 1 in …",
        "fr": "la parcelle 1 à …",
        "it": "il fondo 1 a …",
        "en": "parcel 1 in …",
    },
    nothing_found={
        "de": "Keine Koordinaten{about} gefunden. Nenne bitte einen Ort, eine Adresse oder ein Grundstück.",
        "fr": "Aucune coordonnée trouvée{about}. Indique un lieu, une adresse ou un immeuble.",
        "it": "Nessuna coordinata trovata{about}. Indica un luogo, un indirizzo o un fondo.",
        "en": "No coordinates found{about}. Please name a place, an address or a parcel.",
    },
    words={
        "de": "welche_koordinaten welche_koordinate koordinaten_von koordinate_von",
        "fr": "quelles_coordonnées coordonnées_de",
        "it": "quali_coordinate coordinate_di",
        "en": "which_coordinates coordinates_of",
    },
)
