"""What this service says to users; the sentences are in `texts.toml`."""

from servicekit.wording import Texts

text = Texts("actionplanner")
