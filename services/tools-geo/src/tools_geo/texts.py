"""What this service says to users; the sentences are in `texts.toml`."""

from collections.abc import Callable

from servicekit.wording import Texts

text = Texts("tools_geo")

Called = Callable[[], str]
"""What something is called, in the language of the answer."""
