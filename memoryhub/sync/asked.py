"""What someone asks to be done, and why it cannot be."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from typing import Any

from memoryhub.workspaces.verbs import Payload


class Conflict(Exception):
    """The value an edit was made from is no longer what the file says."""

    def __init__(self, path: str, base: Any, current: Any) -> None:
        super().__init__(path, base, current)
        self.path = path
        self.base = base
        self.current = current

    def __str__(self) -> str:
        return f"{self.path} has changed since this edit was begun"


@dataclass(frozen=True, slots=True)
class Edit:
    """An operation that someone asks for.

    `base` is the value it was made from; None where any value will do. The same
    `key` never applies twice.
    """

    path: str
    verb: str
    payload: Payload
    actor: str
    base: Any = None
    reason: str = ""
    key: str = field(default_factory=lambda: uuid.uuid4().hex)
