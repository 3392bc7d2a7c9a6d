"""The common value of topics, snapshots, session memories, pointers and handoffs.

One value for all dialects. Which of its fields a dialect has a place for is known to
the modules that read and write it, `translation_reading` and `translation_writing`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields

from memoryhub.formats.optimizer.decision_text import DecisionText

Pairs = tuple[tuple[str, str], ...]
#: A field and one of its values.
Facet = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Remembered:
    """The content of one record, in any dialect; missing values are empty.

    `source` is its text, `record_id` its own id in its own dialect. `blocked` is the
    reason, or ``yes`` where none is given. Pairs are (path, purpose), (kind, value),
    (key, value) and (title, text).
    """

    dialect: str
    source: str = ""
    record_id: str = ""
    topic: str = ""
    goal: str = ""
    agent: str = ""
    recipient: str = ""
    type: str = ""
    session: str = ""
    project_root: str = ""
    time: str = ""
    place: str = ""
    phase: str = ""
    branch: str = ""
    blocked: str = ""
    progress: str = ""
    last_action: str = ""
    plan_source: str = ""
    plan: str = ""
    code: str = ""
    notes: str = ""
    trigger: str = ""
    decisions: tuple[DecisionText, ...] = ()
    history: tuple[str, ...] = ()
    blockers: tuple[str, ...] = ()
    next_steps: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    dependencies: tuple[str, ...] = ()
    files: Pairs = ()
    reference_files: Pairs = ()
    key_names: Pairs = ()
    meta: Pairs = ()
    other: Pairs = ()

    def facets(self) -> Iterator[Facet]:
        """Yield every single value, each with the name of its field."""
        for each in fields(self):
            if each.name in _FRAME:
                continue
            held = getattr(self, each.name)
            if isinstance(held, str):
                yield from [(each.name, held)] if held.strip() else []
                continue
            for item in held:
                yield from _item_facets(each.name, item)


#: Fields on the origin of a record rather than its content.
_FRAME = frozenset({"dialect", "source", "record_id"})


def _item_facets(
    name: str, item: str | tuple[str, str] | DecisionText
) -> Iterator[Facet]:
    if isinstance(item, DecisionText):
        yield from _decision_facets(item)
    elif isinstance(item, str):
        yield name, item
    else:
        first, second = item
        yield name, first or second
        if first and second:
            yield f"{name}, what of it", f"{first}: {second}"


def _decision_facets(decision: DecisionText) -> Iterator[Facet]:
    state = "rejected" if decision.rejected else decision.lapsed
    mark = f"{state.capitalize()}: " if state else ""
    text = f"{mark}{decision.text}"
    yield "decisions", text
    for name in ("date", "reason", "supersedes", "signed_off_by", "signed_off_on"):
        if said := getattr(decision, name):
            yield f"decisions, {name.replace('_', ' ')}", f"{text}: {said}"
