"""The one fold: the facts of a revision, matched with the rows of the one before.

A fact with a name of its own is the row of that name. Others are matched in order,
equal texts first, then equal headings. What is new is inserted, what changed updated,
and what the file no longer states closed.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.apps import apps
from django.db import connection
from django.db.models import QuerySet

from memoryhub.formats.base import Lines
from memoryhub.formats.text.alignment import Key, align
from memoryhub.journal.changes import Change
from memoryhub.journal.grades import Graded
from memoryhub.journal.models import KeptId, Source, Span
from memoryhub.journal.prepared import Prepared, listed
from memoryhub.journal.rows import Row, table_of

SpanModel = type[Span]
#: Rules of owners that a changed text states; others leave a row its owner.
_STATING = ("marker", "session", "assigned")


@dataclass(slots=True)
class Fact:
    """A fact of a revision, or of the one before, with its row.

    Without a name of its own its id is 0 until it is folded. `verb` is what happened to
    it: added, changed, kept or closed. Columns that are slow to compute are given as a
    function, not called for an unchanged fact.
    """

    key: Key
    lines: Lines
    columns: Row | Callable[[], Row]
    id: int = 0
    verb: str = ""
    position: int = 0

    @property
    def values(self) -> Row:
        """The columns of the fact, computed once."""
        if callable(self.columns):
            self.columns = self.columns()
        return self.columns

    @property
    def is_written(self) -> bool:
        """Whether its row is new or has other values than before."""
        return self.verb in ("added", "changed")


def fold(
    model: SpanModel,
    change: Change,
    facts: Sequence[Fact] | Callable[[int], Sequence[Fact]],
    since: int = 1,
    *,
    kind: str = "",
    lines: Sequence[Lines] = (),
) -> list[Fact]:
    """Match facts with the open rows of their file, and write the changes.

    Return them in their order with what happened, and behind them the rows closed.

    Rows above the line `since` stay as they are. Sources are only those of a `kind`.
    `facts` may be a function that gives those from a position on: the first ones are
    not asked for if `lines`, where all stand, are as they were.
    """
    if change.fresh and not facts:
        return []
    only = (kind,) if kind else ()
    start = _count_above(model, change, only, since) if since > 1 else 0
    # The rows of an order by lines are found by their positions, much sooner.
    above = start if callable(facts) else 0
    alive = _open_rows(model, change, only, since, above)
    same = 0
    for row, at in zip(alive, lines, strict=False):
        if at.last > change.same or (row.position, row.lines) != (start + same, at):
            break
        same += 1
    start, alive = start + same, alive[same:]
    facts = facts(same) if callable(facts) else facts
    named = bool(facts) and facts[0].id != 0
    pairs = _by_id(alive, facts) if named else _aligned(alive, facts)
    used = {index for index in pairs if index is not None}
    closed = [row for index, row in enumerate(alive) if index not in used]
    for row in closed:
        row.verb = "closed"
        change.rows.update(model, row.id, last_seq=change.seq)
    new = [fact for fact, index in zip(facts, pairs, strict=True) if index is None]
    known = _known_ids(model, new) if named and not change.fresh else set()
    ids = _statement_ids(model, change, new) if issubclass(model, Graded) else None
    for position, (fact, index) in enumerate(zip(facts, pairs, strict=True), start):
        fact.position = position
        if index is not None:
            _continue(model, change, alive[index], fact)
        elif fact.id in known:
            fact.verb = "added"
            _write(model, change, fact)
        else:
            if not named:
                own = next(ids) if ids else change.id_at(model, position, *only)
                fact.id = own
            _insert(model, change, fact)
    return [*facts, *closed]


def fold_sources(
    change: Change,
    kind: Source.Target,
    stated: Iterable[tuple[int, Lines, str, Key | None]],
    since: int = 1,
) -> list[Fact]:
    """Fold the places at which a revision states rows that other files may state.

    Each is the row's id, its lines, the value of the source, and the key to match it
    by; None where that is the row's id.
    """
    target = kind.value
    facts = [
        Fact(
            key or Key(row_id, row_id),
            lines,
            {"target_kind": target, "target_id": row_id, "value": value},
        )
        for row_id, lines, value, key in stated
    ]
    return fold(Source, change, facts, since, kind=target)


def _by_id(alive: Sequence[Fact], facts: Sequence[Fact]) -> list[int | None]:
    at = {row.id: index for index, row in enumerate(alive)}
    return [at.get(fact.id) for fact in facts]


def _aligned(alive: Sequence[Fact], facts: Sequence[Fact]) -> list[int | None]:
    if not alive:
        return [None] * len(facts)
    return align([row.key for row in alive], [fact.key for fact in facts])


def _open_rows(
    model: SpanModel, change: Change, only: tuple[str, ...], since: int, above: int
) -> list[Fact]:
    """Return the open rows of a file from a line on, in their order."""
    if not _is_stated(model, change, only):
        return []
    return [
        Fact(Key(text, heading), Lines(first, last), {}, row_id, position=position)
        for row_id, position, first, last, text, heading in _open_from(model, only)(
            change.file_id, since, above, *only
        )
    ]


def _count_above(
    model: SpanModel, change: Change, only: tuple[str, ...], since: int
) -> int:
    """Return how many facts stand above a line."""
    if not _is_stated(model, change, only):
        return 0
    last = _last_above(model, only)(change.file_id, since, *only)
    return last[0] + 1 if last else 0


def _open(model: SpanModel, file_id: int, only: tuple[str, ...]) -> QuerySet[Any]:
    rows: QuerySet[Any] = model._default_manager.filter(file_id=file_id)
    rows = rows.filter(last_seq__isnull=True)
    return rows.filter(target_kind=only[0]) if only else rows


@cache
def _open_from(
    model: SpanModel, only: tuple[str, ...]
) -> Prepared[tuple[int, int, int, int, int, int]]:
    columns = ("id", "position", "first_line", "last_line", "text_key", "heading_key")
    return Prepared(
        lambda file_id, line, above, *values: (
            _open(model, file_id, values)
            .filter(first_line__gte=line, position__gte=above)
            .order_by("position")
            .values_list(*columns)
        ),
        *(int, int, int, *[str] * len(only)),
    )


@cache
def _last_above(model: SpanModel, only: tuple[str, ...]) -> Prepared[int]:
    return Prepared(
        lambda file_id, line, *values: (
            _open(model, file_id, values)
            .filter(first_line__lt=line)
            .order_by("-position")
            .values_list("position", flat=True)[:1]
        ),
        *(int, int, *[str] * len(only)),
    )


def _is_stated(model: SpanModel, change: Change, only: tuple[str, ...]) -> bool:
    """Return whether the file has open rows of a kind."""
    of_kind = "/".join((model.__name__, *only))
    return not change.fresh and of_kind in _stated_before(change)


def _stated_before(change: Change) -> frozenset[str]:
    """Return the names of models with open rows of the file, sources by their kind."""
    if change.stated_before is None:
        sql, count = _asking_all()
        with connection.cursor() as cursor:
            cursor.execute(sql, [change.file_id] * count)
            change.stated_before = frozenset(name for (name,) in cursor.fetchall())
    return change.stated_before


@cache
def _asking_all() -> tuple[str, int]:
    """Build one statement over all tables of spans; return it and their number."""
    open_rows = "WHERE EXISTS (SELECT 1 FROM {} WHERE file_id = %s AND last_seq IS NULL"
    parts = []
    for model in apps.get_models():
        found = open_rows.format(table_of(model))
        if model is Source:
            parts += [
                f"SELECT 'Source/{kind}' {found} AND target_kind = '{kind}')"
                for kind in Source.Target.values
            ]
        elif issubclass(model, Span):
            parts.append(f"SELECT '{model.__name__}' {found})")
    return " UNION ALL ".join(parts), len(parts)


def _known_ids(model: SpanModel, facts: Sequence[Fact]) -> set[int]:
    """Return the ids of these facts that have a row, though a closed one."""
    ids = [fact.id for fact in facts]
    return set(_ids_among(model)(json.dumps(ids))) if ids else set()


@cache
def _ids_among(model: SpanModel) -> Prepared[int]:
    rows = model._default_manager
    return Prepared(
        lambda ids: rows.filter(id__in=listed(ids)).values_list("id", flat=True), str
    )


def _statement_ids(
    model: SpanModel, change: Change, new: Sequence[Fact]
) -> Iterator[int]:
    """Yield the ids of new statements, derived from their texts.

    Other statements of the file thus change none. A row that an earlier version named
    by its place keeps that id, see `KeptId`.
    """
    told = Counter[int]()
    if new and change.kept is None:
        change.kept = dict(_KEPT(change.workspace.id, change.seq))
    kept = change.kept or {}
    for fact in new:
        key = fact.key.heading
        row_id = change.id_at(model, told[key], str(key))
        told[key] += 1
        yield kept.get(row_id, row_id)


_KEPT: Prepared[tuple[int, int]] = Prepared(
    lambda workspace_id, seq: KeptId.objects.filter(
        workspace_id=workspace_id, seq=seq
    ).values_list("id", "kept"),
    int,
    int,
)


def _insert(model: SpanModel, change: Change, fact: Fact) -> None:
    """Insert a row: of the agent that wrote it, if its text names no other."""
    fact.verb = "added"
    if change.acting_id and fact.values.get("agent_rule", "marker") != "marker":
        fact.columns = {
            **fact.values,
            "agent_id": change.acting_id,
            "agent_rule": "marker",
        }
    own = {"id": fact.id, "workspace_id": change.workspace.id, "first_seq": change.seq}
    change.rows.add(model, own | _columns(change, fact))


def _continue(model: SpanModel, change: Change, row: Fact, fact: Fact) -> None:
    """Give a row the place of a fact, and its columns if its text changed."""
    fact.id = row.id
    fact.verb = "kept" if row.key.text == fact.key.text else "changed"
    if fact.verb == "changed":
        _write(model, change, fact)
    elif (row.position, row.lines) != (fact.position, fact.lines):
        place = _columns_of_place(fact)
        change.rows.update(model, row.id, **place)


def _write(model: SpanModel, change: Change, fact: Fact) -> None:
    """Change the columns of a row; its owner only where the new text names one."""
    columns = _columns(change, fact)
    for owner in ("agent", "topic"):
        rule = columns.get(f"{owner}_rule")
        if rule is not None and rule not in _STATING:
            del columns[f"{owner}_id"], columns[f"{owner}_rule"]
    change.rows.update(model, fact.id, **columns)


def _columns(change: Change, fact: Fact) -> Row:
    """Return all columns of a fact; those that a person has set stay so."""
    if assigned := change.assigned.get(fact.id):
        fact.columns = {**fact.values, **assigned}
    return {
        "file_id": change.file_id,
        **_columns_of_place(fact),
        "last_seq": None,
        "text_key": fact.key.text,
        "heading_key": fact.key.heading,
        **fact.values,
    }


def _columns_of_place(fact: Fact) -> Row:
    first, last = fact.lines
    return {"position": fact.position, "first_line": first, "last_line": last}
