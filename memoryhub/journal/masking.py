"""Mask secrets and escape hidden characters in answers to agents.

A module of its own: who answers no agent loads no rules of secrets.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeVar

from memoryhub.formats.secrets.detection import masked
from memoryhub.formats.text.hidden import with_escapes
from memoryhub.journal.models import Problem, Workspace
from memoryhub.journal.prepared import Prepared
from memoryhub.journal.problems import SECRETS

Value = TypeVar("Value")

#: Between the texts of a value while they are searched at once: part of no secret.
_BETWEEN = "\n\n\0\n\n"
_ANY: Prepared[int] = Prepared(
    lambda workspace_id: Problem.objects.filter(
        workspace_id=workspace_id, code_name=SECRETS
    ).values_list("id", flat=True)[:1],
    int,
)


def masked_for_agents(workspace: Workspace, value: Value) -> Value:
    """Return a JSON value with hidden characters as escapes and secrets masked.

    The same object if there are none. Secrets stay if the workspace gives them.
    """
    texts = list(_texts_in(value))
    joined = _BETWEEN.join(texts)
    whole, scan = with_escapes(joined), False
    if workspace.mask_for_agents:
        # Loading the scanner takes a command half a second: not without need.
        scan = bool(_ANY(workspace.pk))
        whole = masked(whole, scan=scan)[0]
    if whole == joined:
        return value
    parts = whole.split(_BETWEEN)
    if len(parts) != len(texts):
        # A key without an end was masked into the texts behind it.
        parts = [masked(with_escapes(text), scan=scan)[0] for text in texts]
    replaced: Value = _replaced(value, iter(parts))
    return replaced


def _texts_in(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _texts_in(part)
    elif isinstance(value, dict):
        yield from _texts_in(list(value.values()))


def _replaced(value: Any, texts: Iterator[str]) -> Any:
    if isinstance(value, str):
        return next(texts)
    if isinstance(value, list | tuple):
        return [_replaced(part, texts) for part in value]
    if isinstance(value, dict):
        return {name: _replaced(part, texts) for name, part in value.items()}
    return value
