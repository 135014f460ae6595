"""An empty map."""

from contracts.intents.names import Intent
from contracts.intents.spec import IntentSpec

SPEC = IntentSpec(
    intent=Intent.CLEAR_MAP,
    meaning="remove everything from the map",
    title={"de": "Karte leeren", "fr": "Vider la carte", "it": "Svuotare la carta", "en": "Clear the map"},
    example={"de": "Leere die Karte", "fr": "Vide la carte", "it": "Svuota la carta", "en": "Clear the map"},
)
