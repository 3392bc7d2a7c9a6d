"""The text that a person signs off, by its hash, so that no other can replace it."""

from __future__ import annotations

from hashlib import sha256
from typing import Protocol


class Signable(Protocol):
    """The signed fields of a handoff; agents' names differ between workspaces."""

    @property
    def type(self) -> str: ...
    @property
    def context(self) -> str: ...
    @property
    def input(self) -> str: ...
    @property
    def expected_output(self) -> str: ...
    @property
    def constraints(self) -> str: ...


def signed_key(handoff: Signable) -> str:
    """Return the hash of a handoff's signed text."""
    parts = (
        handoff.type,
        handoff.context,
        handoff.input,
        handoff.expected_output,
        handoff.constraints,
    )
    text = repr(tuple("\n".join(part.split()) for part in parts))
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
