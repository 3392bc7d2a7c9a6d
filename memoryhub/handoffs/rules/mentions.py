"""Names that a message mentions as ``@name``. Pure."""

from __future__ import annotations

import re

from memoryhub.journal.ownership import is_person

#: A name after an @ that no word, address or path ends with; dots and dashes within.
_MENTION = re.compile(r"(?<![\w@./:-])@(\w+(?:[.-]\w+)*)")


def mentioned_in(text: str) -> tuple[str, ...]:
    """Return the names that a text mentions, each once, in lower case."""
    found = (name.casefold() for name in _MENTION.findall(text))
    return tuple(dict.fromkeys(found))


def mentions(text: str, name: str) -> bool:
    """Return whether a text mentions an agent; blanks in its name are dashes."""
    return "-".join(name.casefold().split()) in mentioned_in(text)


def mentions_person(text: str) -> bool:
    """Return whether a text mentions a person, such as ``@you`` or ``@operator``."""
    return any(is_person(name) for name in mentioned_in(text))
