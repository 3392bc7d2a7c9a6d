"""What is posted to a webhook, as its receiver takes it."""

from __future__ import annotations

import hashlib
import hmac
import re
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from memoryhub.notices.webhook import signature

DOCS = Path(__file__).parents[2] / "docs/settings.md"
CHECK = re.compile(r"^    def is_genuine.*\n(?:     .*\n)+", re.MULTILINE)


@pytest.fixture
def receiver() -> dict[str, Any]:
    """Return the names that a receiver has that copied its check from the docs."""
    (check,) = CHECK.findall(DOCS.read_text())
    names: dict[str, Any] = {"hashlib": hashlib, "hmac": hmac}
    exec(dedent(check), names)
    return names


@pytest.mark.parametrize(
    ("secret", "body", "genuine"),
    [
        ("s\u00e9cret", b"{}", True),
        ("other", b"{}", False),
        ("s\u00e9cret", b"[]", False),
    ],
)
def test_the_check_in_the_docs_takes_what_is_signed_and_nothing_else(
    receiver: dict[str, Any], secret: str, body: bytes, *, genuine: bool
) -> None:
    headers = {
        "Memoryhub-Timestamp": "1795000000",
        "Memoryhub-Signature": signature("s\u00e9cret", 1795000000, b"{}"),
    }

    assert receiver["is_genuine"](headers, body, secret) is genuine
