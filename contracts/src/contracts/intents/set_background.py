"""Another base map."""

from contracts.intents.names import Intent
from contracts.intents.spec import IntentSpec

SPEC = IntentSpec(
    intent=Intent.SET_BACKGROUND,
    meaning="change the base map; args: background (none, sw = grey, color, ortho = aerial photo)",
    title={
        "de": "Hintergrund wechseln",
        "fr": "Changer le fond de carte",
        "it": "Cambiare lo sfondo",
        "en": "Change the base map",
    },
    example={
        "de": "Wechsle zum Luftbild",
        "fr": "Passe à la photo aérienne",
        "it": "Passa alla foto aerea",
        "en": "Switch to the aerial photo",
    },
)
