"""Edits: requested operations, and their conflicts."""

from __future__ import annotations

import uuid
from dataclasses import asdict, dataclass, field
from typing import Any, TypeVar

from django.db.models import Model

from memoryhub.audit.origins import Origin, current_origin
from memoryhub.formats.base import FormatError
from memoryhub.journal.models import Workspace
from memoryhub.journal.verbs import Payload
from memoryhub.values.identity import id_of

_Row = TypeVar("_Row", bound=Model)


class Conflict(Exception):
    """The file's value is no longer the one the edit was made from."""

    def __init__(self, path: str, base: Any, current: Any) -> None:
        super().__init__(path, base, current)
        self.path = path
        self.base = base
        self.current = current

    def __str__(self) -> str:
        return f"{self.path} has changed since this edit was begun"


def value_text(value: Any) -> str:
    """Format an edit's value as lines for comparison by people."""
    if isinstance(value, dict):
        return "\n".join(f"{name}: {value_text(part)}" for name, part in value.items())
    if isinstance(value, list):
        return "\n".join(value_text(part) for part in value)
    return "" if value is None else str(value)


def row_by_code(workspace: Workspace, model: type[_Row], code: str) -> _Row:
    """Return the row with a code: target of an operation without a file.

    Raises:
        FormatError: ``row-unknown``, the row does not exist, or no longer.
    """
    try:
        rows = model._default_manager.filter(workspace=workspace, pk=id_of(code))
        row = rows.first()
    except ValueError:
        row = None
    if row is None:
        raise FormatError("row-unknown", row=code)
    return row


@dataclass(frozen=True, slots=True)
class Edit:
    """A requested operation.

    `base` is the value it was made from; None accepts any value. The same `key` never
    applies twice. `origin` is for the audit log: another caller's thread may write it.
    """

    path: str
    verb: str
    payload: Payload
    actor: str
    base: Any = None
    reason: str = ""
    key: str = field(default_factory=lambda: uuid.uuid4().hex)
    origin: Origin = field(
        init=False, default_factory=current_origin, compare=False, repr=False
    )

    def as_fields(self) -> dict[str, Any]:
        """Return the fields as JSON values, from which the edit can be made again."""
        return {name: value for name, value in asdict(self).items() if name != "origin"}
