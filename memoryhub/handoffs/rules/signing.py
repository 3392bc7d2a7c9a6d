"""What a person signs off: the text of a decision, so that no other takes its place."""

from __future__ import annotations

from hashlib import sha256
from typing import Protocol


class Signable(Protocol):
    """The parts of a handoff that are signed; names differ between workspaces."""

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
    """Return what stands for the text of a handoff that is signed."""
    parts = (
        handoff.type,
        handoff.context,
        handoff.input,
        handoff.expected_output,
        handoff.constraints,
    )
    text = repr(tuple("\n".join(part.split()) for part in parts))
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
