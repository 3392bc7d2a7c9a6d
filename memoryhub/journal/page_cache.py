"""In-process cache of pages' values, valid until the journal grows."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

from memoryhub.journal.models import Workspace

Value = TypeVar("Value")
#: Values per process; the least recently used are evicted.
_MOST = 500
#: Not Django's cache, which would copy the values at each page.
_kept: OrderedDict[tuple[object, ...], Any] = OrderedDict()


def cached(workspace: Workspace, name: object, make: Callable[[], Value]) -> Value:
    """Return the value of `make`, cached by the state of a workspace's rows.

    Rows are a function of the journal, so its length is in the key; `checked_at` covers
    results of the last scan, `handoff_changes` what other workspaces do with handoffs
    from here. Cached values must not be changed.
    """
    if not workspace.projected_seq:
        return make()
    state = (
        workspace.projected_seq,
        workspace.last_seq,
        workspace.projection_version,
        workspace.checked_at,
        workspace.handoff_changes,
    )
    return _looked_up((workspace.uuid, *state, name), make)


def cached_by_handoffs(
    workspace: Workspace, name: object, make: Callable[[], Value]
) -> Value:
    """Return the value of `make`, cached by the state of a workspace's handoffs.

    It may depend on nothing else: other changes do not invalidate it.
    """
    if not workspace.handoff_changes:
        return make()
    # With the pk: a workspace deleted and added again counts from 0.
    return _looked_up(
        (workspace.uuid, workspace.pk, workspace.handoff_changes, name), make
    )


def _looked_up(key: tuple[object, ...], make: Callable[[], Value]) -> Value:
    try:
        value: Value = _kept[key]
    except KeyError:
        value = _kept[key] = make()
        while len(_kept) > _MOST:
            _kept.popitem(last=False)
        return value
    with suppress(KeyError):  # another thread may have evicted it just now
        _kept.move_to_end(key)
    return value
