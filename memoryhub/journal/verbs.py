"""Registry of verbs: kinds of operations on a file, by name.

Each app declares its own in `exporters` and registers them when it is loaded.
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
#: Verb and payload of the undo.
Inverse = tuple[str, Payload]


@dataclass(frozen=True, slots=True)
class Limits:
    """Numbers of decisions and history lines that agents keep in a file."""

    decisions: int
    history: int


@dataclass(frozen=True, slots=True)
class Verb:
    """One kind of operation on a file's text.

    `value` reads the affected value from a text: the base that an edit is made from.
    `apply` returns the new text; `inverse` returns the undo, from the text before.
    Verb and inverse have the same value.
    `removes`: the file is removed; the new text is empty.
    `makes_events`: the version it writes creates its event; the operation has none.
    `at_once`: written immediately, also where a person reviews before writing.
    `within`: a context manager, as ``module:function``, for rules over more than one
    file: called with the workspace and the edit, it waits or raises.
    `adds`: an addition that is read back from the text; the value is its number of
    occurrences, or the id it got (`check_added`).
    `also`: sufficient scopes in addition to the one that the file needs.
    """

    value: Callable[[str, Payload], Any]
    apply: Callable[[str, Payload, Limits], str]
    inverse: Callable[[str, Payload, Limits], Inverse]
    removes: bool = False
    makes_events: bool = False
    at_once: bool = False
    within: str = ""
    adds: bool = False
    also: frozenset[Scope] = frozenset()

    def check_added(self, before: Any, after: Any) -> None:
        """Check by the values before and after that an addition can be read back.

        Raises:
            FormatError: ``addition-lost``, the addition is not found in the text.
        """
        same_id = isinstance(after, str) and after == before
        if self.adds and (not after or same_id):
            raise FormatError("addition-lost")


_VERBS: dict[str, Verb] = {}
#: By verb: the function, as ``module:function``, of an operation without a file.
_ON_ROWS: dict[str, str] = {}


def register(verbs: Mapping[str, Verb]) -> None:
    """Register verbs.

    Raises:
        ValueError: another verb has the name already.
    """
    for name, verb in verbs.items():
        if _VERBS.setdefault(name, verb) is not verb:
            raise ValueError(f"two verbs are called {name}")


def verb_of(name: str) -> Verb:
    """Return the verb with a name.

    Raises:
        FormatError: ``verb-unknown``.
    """
    if name not in _VERBS:
        raise FormatError("verb-unknown", verb=name)
    return _VERBS[name]


def verb_makes_events(name: str) -> bool:
    """Return whether the written version creates its own timeline event."""
    return name in _VERBS and _VERBS[name].makes_events


def within(name: str, workspace: Any, edit: Any) -> AbstractContextManager[None]:
    """Return the context manager in which a verb's operations run."""
    place = _VERBS[name].within if name in _VERBS else ""
    if not place:
        return nullcontext()
    made: AbstractContextManager[None] = resolve_name(place)(workspace, edit)
    return made


def register_on_rows(verb: str, function: str) -> None:
    """Register the function, ``module:function``, of a verb without a file.

    It is called with the workspace, the edit and the time, and returns the operation.
    """
    _ON_ROWS[verb] = function


def on_rows(name: str) -> Callable[..., Any] | None:
    """Return the function of a verb without a file; None for verbs on files."""
    place = _ON_ROWS.get(name)
    return resolve_name(place) if place else None
