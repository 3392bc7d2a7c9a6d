"""What can be done to a file through the hub: kinds of operations, by name.

Each app names its own in its `exporters`, and registers them when it is loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pkgutil import resolve_name
from typing import Any

from memoryhub.formats.base import FormatError
from memoryhub.journal.scopes import Scope

Payload = dict[str, Any]
#: The verb and payload that take an operation back.
Inverse = tuple[str, Payload]


@dataclass(frozen=True, slots=True)
class Limits:
    """How many decisions and history lines a workspace's agents keep in a file."""

    decisions: int
    history: int


@dataclass(frozen=True, slots=True)
class Verb:
    """One kind of operation on a file's text.

    `value` is what the operation is about, as it stands now: the base that an edit
    is made from. `apply` returns the new text; `inverse` names the operation that
    takes it back, from the text before. Verb and inverse have the same `value`.
    One that `removes` leaves no file; its text is empty then.
    What is `told` by the version it writes, where that has something to tell on the
    timeline, has no event of its own.
    What is done `at_once` is written also where a person reviews before writing.
    `within` names a context manager, as ``module:function``, for what rules of more
    than one file decide: given the workspace and the edit it waits, or raises.
    What it `adds` is read back from the text: the value is how often it is there, or
    the id that it got (`check_added`).
    `also` are scopes that allow it besides the one that its file needs.
    """

    value: Callable[[str, Payload], Any]
    apply: Callable[[str, Payload, Limits], str]
    inverse: Callable[[str, Payload, Limits], Inverse]
    removes: bool = False
    told: bool = False
    at_once: bool = False
    within: str = ""
    adds: bool = False
    also: frozenset[Scope] = frozenset()

    def check_added(self, before: Any, after: Any) -> None:
        """Check by the values before and after that what is added can be read back.

        Raises:
            FormatError: ``addition-lost``, no reader would find it.
        """
        same_id = isinstance(after, str) and after == before
        if self.adds and (not after or same_id):
            raise FormatError("addition-lost")


_VERBS: dict[str, Verb] = {}
#: Functions, as ``module:function``, that do operations on rows alone, by verb.
_ON_ROWS: dict[str, str] = {}


def register(verbs: Mapping[str, Verb]) -> None:
    """Make verbs known; raise `ValueError` where another has the name already."""
    for name, verb in verbs.items():
        if _VERBS.setdefault(name, verb) is not verb:
            raise ValueError(f"two verbs are called {name}")


def verb_of(name: str) -> Verb:
    """Return a verb by its name; raise `FormatError` ``verb-unknown`` for others."""
    if name not in _VERBS:
        raise FormatError("verb-unknown", verb=name)
    return _VERBS[name]


def is_told(name: str) -> bool:
    """Tell whether the version that an operation writes can tell of it."""
    return name in _VERBS and _VERBS[name].told


def within(name: str, workspace: Any, edit: Any) -> AbstractContextManager[None]:
    """Return what an operation of this kind is done within."""
    place = _VERBS[name].within if name in _VERBS else ""
    if not place:
        return nullcontext()
    made: AbstractContextManager[None] = resolve_name(place)(workspace, edit)
    return made


def register_on_rows(verb: str, function: str) -> None:
    """Have a function, ``module:function``, do operations that write no file.

    It is given the workspace, the edit and the time, and returns the operation.
    """
    _ON_ROWS[verb] = function


def on_rows(name: str) -> Callable[..., Any] | None:
    """Return what does an operation on rows alone; None for operations on a file."""
    place = _ON_ROWS.get(name)
    return resolve_name(place) if place else None
