"""Text as people read it: without front matter, comments and tags of details."""

from __future__ import annotations

import pytest

from memoryhub.formats.text.dates import after_title
from memoryhub.formats.text.frontmatter import without_markup


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("---\ntitle: x\n---\nBody\n", "\n\n\nBody\n"),
        ("a <!-- b\nc --> d", "a \n d"),
        ("<details>\n<summary>More</summary>\nx\n</details>", "\nMore\nx\n"),
        ("```\n<!-- code -->\n```\n<!-- y -->", "```\n<!-- code -->\n```\n"),
        ("write `<!-- x -->` there", "write `<!-- x -->` there"),
        ("<!-- never closed", "<!-- never closed"),
        ("1 < 2", "1 < 2"),
    ],
)
def test_what_only_programs_read_is_left_out(text: str, bare: str) -> None:
    assert without_markup(text) == bare
    assert without_markup(text).count("\n") == text.count("\n")


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("Kim keeps the key.", ""),
        ("- 09:00 Kim keeps the key", ""),
        ("**09:00** Kim keeps the key. Ask her.", "Ask her."),
        ("Today Kim keeps the key.", "Today Kim keeps the key."),
        ("Kim keeps the key-ring", "Kim keeps the key-ring"),
    ],
)
def test_a_title_is_not_said_again(text: str, rest: str) -> None:
    assert after_title(text, "Kim keeps the key") == rest
