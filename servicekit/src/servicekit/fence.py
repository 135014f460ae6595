"""Foreign text in prompts: it stands within marks that it cannot end, and what a model was told stays here.

Documents, results of tools, the conversation, the user's own message and what other servers say of their
tools are material. A model is told so; that the material stays where it is does not depend on the model.
"""

import json
import re
from typing import Any

_MARK = re.compile(r"<(?=[/A-Za-z!?|])|\[(?=/?INST\b)", re.IGNORECASE)
"""The beginning of a mark: ours, or one by which models tell who is speaking."""
_IN_JSON = re.compile(r"[<>\uff1c\uff1e\ufe64\ufe65\u2329\u232a\u3008\u3009]|\[(?=/?INST\b)", re.IGNORECASE)
"""The same, and what looks like it, wherever it stands in a text."""
_LOOKS_LIKE_LESS = str.maketrans("\uff1c\ufe64\u2329\u3008", "<<<<")
_MIN_LEAK_CHARS = 40
"""A shorter line may be said by chance."""


def fenced(mark: str, content: object, **facts: object) -> str:
    """`<mark fact="...">`, the content, `</mark>`. Anything but a text is written as JSON."""
    said = "".join(f' {name}="{_fact(value)}"' for name, value in facts.items())
    inside = neutral(content) if isinstance(content, str) else inert(content)
    return f"<{mark}{said}>\n{inside}\n</{mark}>"


def neutral(text: str) -> str:
    """The text, without anything that could begin or end a mark."""
    return _MARK.sub(lambda found: f"{found.group()} ", text.translate(_LOOKS_LIKE_LESS))


def inert(value: Any) -> str:
    """JSON in which no mark can begin or end."""
    written = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return _IN_JSON.sub(lambda found: f"\\u{ord(found.group()):04x}", written)


def _fact(value: object) -> str:
    return neutral(" ".join(str(value).split())).replace('"', "'")


def repeats(text: str, prompt: str) -> bool:
    """Whether a text tells what a model was told: a whole line of its prompt, whatever the blanks."""
    said = _squeezed(text)
    lines = (_squeezed(line) for line in prompt.splitlines())
    return any(len(line) >= _MIN_LEAK_CHARS and line in said for line in lines)


def _squeezed(text: str) -> str:
    """Its letters and digits: emphasis, quotes and line breaks make no other text."""
    return "".join(filter(str.isalnum, text)).casefold()
