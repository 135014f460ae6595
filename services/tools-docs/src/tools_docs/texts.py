"""What this service says to users; the sentences are in `texts.toml`."""

from collections.abc import Sequence

from servicekit.wording import Texts

text = Texts("tools_docs")


def listed(words: Sequence[str]) -> str:
    """`«a», «b» und «c»`."""
    quoted = [f"«{word}»" for word in words]
    if len(quoted) < 2:
        return "".join(quoted)
    return text("and", first=", ".join(quoted[:-1]), last=quoted[-1])
