"""Every sentence of this service that a user can see."""

from servicekit.wording import Texts

text = Texts("planner")
