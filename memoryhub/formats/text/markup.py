"""Text without what only programs read: front matter, comments, tags of details."""

from __future__ import annotations

import re
from bisect import bisect

from memoryhub.formats.text import frontmatter
from memoryhub.formats.text.source import fenced_lines

_UNSEEN = re.compile(
    r"(?<!`)(?:<!--(?:(?!-->).){0,4000}-->|</?(?:details|summary)\b[^<>\n]{0,200}>)",
    re.DOTALL | re.IGNORECASE,
)


def without_markup(text: str) -> str:
    """Return a text without front matter, HTML comments and the tags of details.

    Every line keeps its number. Fenced code and what stands behind a backtick stay.
    """
    head = "\n" * (frontmatter.split(text).body_line - 1)
    fenced = fenced_lines(text)
    ends = [found.start() for found in re.finditer("\n", text)] if fenced else []

    def unseen(found: re.Match[str]) -> str:
        if bisect(ends, found.start()) + 1 in fenced:
            return found[0]
        return "\n" * found[0].count("\n")

    bare = _UNSEEN.sub(unseen, text) if "<" in text else text
    return head + "\n".join(bare.split("\n")[len(head) :])
