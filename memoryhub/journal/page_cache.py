"""In-process cache of pages' values, valid until the journal grows.

Under pressure a page may be made from the state that an earlier page was made from, up
to half a second ago, so that both share these values. Its version says so, and open
pages learn of the newer one as of any change.

Models of a query that is repeated after every change are made once per row: Django
needs ten times as long to make a model as SQLite to read its row.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, Generic, NamedTuple, TypeVar
from uuid import UUID

from django.db import connection
from django.db.models import Model, QuerySet
from django.db.models.base import ModelState

from memoryhub.journal.models import Workspace
from memoryhub.journal.prepared import compiled

Row = TypeVar("Row", bound=Model)


class RowMemo(Generic[Row]):
    """The models of the last results of a query, by the columns of their rows.

    There is a result for each key; of more than `most` the least recently used is
    evicted. Models are copies: what is set on one is not on those of the next call.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._results: OrderedDict[object, dict[tuple[Any, ...], Row]] = OrderedDict()
        self._lock = Lock()

    def read(self, key: object, rows: QuerySet[Row, Row]) -> list[Row]:
        """Return the models of a query, without related ones: see `relate`."""
        query = compiled(rows)
        with connection.cursor() as cursor:
            cursor.execute(query.sql, query.filled(()))
            found = cursor.fetchall()
        last = self._results.get(key, {})
        new = [row for row in found if row not in last]
        made = dict(zip(new, query.shaped(new), strict=True))
        result = {row: made.get(row) or last[row] for row in found}
        with self._lock:
            self._results[key] = result
            self._results.move_to_end(key)
            while len(self._results) > self._most:
                self._results.popitem(last=False)
        return [_copy(model) for model in result.values()]


def relate(rows: Iterable[Row], name: str, models: Mapping[int, Model]) -> None:
    """Set a foreign key of many rows to models, by their ids."""
    for row in rows:
        row_id = getattr(row, f"{name}_id")
        row._state.fields_cache[name] = models.get(row_id)


def _copy(model: Row) -> Row:
    """Return a copy of a model without its related ones, many times faster than copy().

    Its columns are values that cannot be changed.
    """
    copied = model.__class__.__new__(model.__class__)
    state = ModelState()
    state.db, state.adding = model._state.db, False
    vars(copied).update(vars(model), _state=state)
    return copied


Value = TypeVar("Value")
#: Entry of a request's WSGI environment: it may be answered from an earlier state, but
#: from none before this time (`time.monotonic`).
PINNED = "memoryhub.pinned_since"
#: Seconds for which pages under pressure share a state.
_PINNED_FOR = 0.5
#: Seconds for which a request waits until another one has made a value.
_PATIENCE = 60.0
#: Fields of a workspace that say in which state its rows are.
_STATE = (
    "projected_seq", "last_seq", "projection_version", "checked_at", "handoff_changes",
    "last_run",
)  # fmt: skip
#: Values per process; the least recently used are evicted.
_MOST = 500
#: States whose values are kept however old they are; of those before only pinned ones.
_NEWEST = 2
#: The last state of each workspace that a page was made from, and when it was read.
_pins: dict[UUID, tuple[float, tuple[Any, ...]]] = {}
_pinned_since: ContextVar[float | None] = ContextVar("pinned_since", default=None)


class _Key(NamedTuple):
    """Key of a value: whose state it depends on, the state, and the value's name."""

    of: object
    state: object
    name: object


@dataclass(slots=True)
class _State:
    """The keys of one state's values, and when the first of them was made."""

    at: float
    keys: set[_Key] = field(default_factory=set)


#: Not Django's cache, which would copy the values at each page.
_kept: OrderedDict[_Key, Any] = OrderedDict()
#: The states of the values, by what they are states of; the newest last.
_states: dict[object, OrderedDict[object, _State]] = {}
_keeping = Lock()
#: Values being made: each once for all requests that wait, as some take megabytes.
_making: dict[_Key, Lock] = {}


@contextmanager
def pinned(since: float | None) -> Iterator[None]:
    """Let the enclosed request share states read after `since`; None for no sharing."""
    token = _pinned_since.set(since)
    try:
        yield
    finally:
        _pinned_since.reset(token)


def pin(workspace: Workspace, read_at: float) -> None:
    """Give a workspace that was just read the state of an earlier page, under pressure.

    Otherwise note its state for later pages; `read_at` is from before it was read.
    """
    since = _pinned_since.get()
    known = _pins.get(workspace.uuid)
    if known and since is not None:
        at, state = known
        if at > since and read_at - at < _PINNED_FOR:
            for name, value in zip(_STATE, state, strict=True):
                setattr(workspace, name, value)
            return
    state = tuple(getattr(workspace, name) for name in _STATE)
    _pins[workspace.uuid] = (read_at, state)


def cached(
    workspace: Workspace, name: object, make: Callable[[], Value], *, scan: bool = True
) -> Value:
    """Return the value of `make`, cached by the state of a workspace's rows.

    Rows are a function of the journal, so its length is in the key; `handoff_changes`
    covers what other workspaces do with handoffs from here, and what is forgotten.
    Without `scan` the value outlives a scan that finds no change. Cached values must
    not be changed.
    """
    if not workspace.projected_seq:
        return make()
    state = (
        workspace.projected_seq,
        workspace.last_seq,
        workspace.projection_version,
        workspace.handoff_changes,
        workspace.time_zone,
        workspace.checked_at if scan else None,
    )
    of = workspace.uuid, "scan" if scan else "rows"
    return _looked_up(_Key(of, state, name), make)


def cached_by_handoffs(
    workspace: Workspace, name: object, make: Callable[[], Value]
) -> Value:
    """Return the value of `make`, cached by the state of a workspace's handoffs.

    It may depend on nothing else: other changes do not invalidate it.
    """
    if not workspace.handoff_changes:
        return make()
    # With the pk: a workspace deleted and added again counts from 0.
    of = workspace.uuid, workspace.pk
    return _looked_up(_Key(of, workspace.handoff_changes, name), make)


def _looked_up(key: _Key, make: Callable[[], Value]) -> Value:
    try:
        value: Value = _kept[key]
    except KeyError:
        return _made_once(key, make)
    with suppress(KeyError):  # another thread may have evicted it just now
        _kept.move_to_end(key)
    return value


def _made_once(key: _Key, make: Callable[[], Value]) -> Value:
    """Make a value, or wait a while for another request that makes it."""
    making = _making.setdefault(key, Lock())
    is_mine = making.acquire(timeout=_PATIENCE)
    try:
        value: Value = _kept[key]
    except KeyError:
        value = make()
        with _keeping:
            _kept[key] = value
            now = time.monotonic()
            states = _states.setdefault(key.of, OrderedDict())
            states.setdefault(key.state, _State(now)).keys.add(key)
            for state in list(states)[:-_NEWEST]:
                if states[state].at < now - _PINNED_FOR:
                    for outdated in states.pop(state).keys:
                        _kept.pop(outdated, None)
            while len(_kept) > _MOST:
                unused, _ = _kept.popitem(last=False)
                _states[unused.of][unused.state].keys.discard(unused)
    finally:
        if is_mine:
            _making.pop(key, None)
            making.release()
    return value
