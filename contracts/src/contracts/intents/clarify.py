"""A question back."""

from contracts.intents.names import Intent
from contracts.intents.spec import IntentSpec

SPEC = IntentSpec(
    intent=Intent.CLARIFY,
    meaning="ask back, when the wish is not clear or cannot be fulfilled. Needs `message`",
)
