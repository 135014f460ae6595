"""Everything that this service says to users."""

from servicekit.wording import Texts

text = Texts("orchestrator")
