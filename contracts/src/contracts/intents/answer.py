"""Words alone."""

from contracts.intents.names import Intent
from contracts.intents.spec import IntentSpec

SPEC = IntentSpec(
    intent=Intent.ANSWER,
    meaning=(
        "say something that needs no tool. With `message`: a greeting, or what this assistant can do. With "
        "`respond`: a summary of what the steps before have come to, or the answer to a plain question"
    ),
)
