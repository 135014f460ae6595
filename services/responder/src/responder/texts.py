"""What this service says to users; the sentences are in `texts.toml`, the prompts in `llm.prompt`."""

from servicekit.wording import Texts

text = Texts("responder")
