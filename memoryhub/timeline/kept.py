"""What a timeline says of all its events, kept until the journal has grown."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b
from typing import TypeVar

from django.core.cache import cache

from memoryhub.workspaces.models import Workspace

Value = TypeVar("Value")
#: Raise it when what is kept has another form.
_VERSION = 1


def kept(workspace: Workspace, name: str, make: Callable[[], Value]) -> Value:
    """Return what `make` gives, made once for each state of a workspace's rows.

    Rows are a function of the journal, so its length says whether they changed.
    """
    seq = workspace.projected_seq
    if not seq:
        return make()
    what = blake2b(f"{_VERSION}:{seq}:{name}".encode(), digest_size=16)
    key = f"timeline:{workspace.uuid.hex}:{what.hexdigest()}"
    missing = object()
    found = cache.get(key, missing)
    if found is not missing:
        value: Value = found
        return value
    made = make()
    cache.set(key, made)
    return made
