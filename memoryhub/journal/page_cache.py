"""What pages say of all of a workspace, kept until its journal has grown."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

from memoryhub.journal.models import Workspace

Value = TypeVar("Value")
#: Values that a process keeps; those that were not asked for longest go first.
_MOST = 500
#: Kept as they are: the cache of Django would copy them at each page.
_kept: OrderedDict[tuple[object, ...], Any] = OrderedDict()


def kept(workspace: Workspace, name: object, make: Callable[[], Value]) -> Value:
    """Return what `make` gives, made once for each state of a workspace's rows.

    Rows are a function of the journal, so its length says whether they changed; what
    a look at the folder changes besides them, its time tells. Nobody may change a
    value that is kept.
    """
    if not workspace.projected_seq:
        return make()
    state = (
        workspace.projected_seq,
        workspace.last_seq,
        workspace.projection_version,
        workspace.checked_at,
    )
    return _looked_up((workspace.uuid, *state, name), make)


def kept_of_handoffs(
    workspace: Workspace, name: object, make: Callable[[], Value]
) -> Value:
    """Return what `make` gives, made once for each state of a workspace's handoffs.

    It may depend on nothing else: other news leave it as it is.
    """
    if not workspace.handoff_changes:
        return make()
    # A workspace that was deleted and added again counts from the beginning.
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
    with suppress(KeyError):  # another thread may have let go of it just now
        _kept.move_to_end(key)
    return value
