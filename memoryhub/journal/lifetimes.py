"""Matching of a file's facts with the rows of its previous revision."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

from django.apps import apps
from django.db import connection
from django.db.models import QuerySet

from memoryhub.formats.base import Lines
from memoryhub.formats.text.alignment import Key, align
from memoryhub.journal.changes import Change
from memoryhub.journal.grades import Graded
from memoryhub.journal.models import KeptId, Source, Span
from memoryhub.journal.prepared import Prepared
from memoryhub.journal.rows import Row, table_of

SpanModel = type[Span]


class Fact(NamedTuple):
    """A fact of a revision: key to match it by, lines, and columns.

    Columns that are slow to compute are given as a function, not called for an
    unchanged fact.
    """

    key: Key
    lines: Lines
    columns: Row | Callable[[], Row]

    @property
    def values(self) -> Row:
        """The columns of the fact."""
        return self.columns() if callable(self.columns) else self.columns


class Matched(NamedTuple):
    """A fact with its row; `verb` is added, changed or kept."""

    row_id: int
    fact: Fact
    verb: str


class Folded(NamedTuple):
    """Result of matching: facts with their rows, and rows closed."""

    matched: list[Matched]
    closed: list[Alive]


class Alive(NamedTuple):
    """An open row of the revision before."""

    id: int
    position: int
    first_line: int
    last_line: int
    text_key: int
    heading_key: int


def fold_aligned(
    model: SpanModel, change: Change, facts: Sequence[Fact], since: int = 1, **only: str
) -> Folded:
    """Match facts to open rows in order; insert new ones, close the rest.

    For facts without a name of their own, such as log entries: equal text first, then
    equal heading. A new row's id is derived from where it was first seen, that of a
    statement from its text. Rows above the line `since` stay as they are. `only`
    filters the model's rows to the kind of these facts.
    """
    if change.fresh and not facts:
        return Folded([], [])
    alive = _alive_rows(model, change, only, since)
    start = _count_above(model, change, only, since)
    return _fold(model, change, facts, alive, only, start)


def fold_sources(
    change: Change,
    kind: Source.Target,
    stated: Iterable[tuple[int, Lines, str, Key | None]],
    since: int = 1,
) -> Folded:
    """Match what a revision states of rows that several files may state.

    Each is the row's id, its lines, the value of the source, and the key to match it
    by; None where that is the row's id.
    """
    facts = [
        Fact(
            key or Key(row_id, row_id),
            lines,
            {"target_kind": kind.value, "target_id": row_id, "value": value},
        )
        for row_id, lines, value, key in stated
    ]
    return fold_aligned(Source, change, facts, since, target_kind=kind.value)


def fold_going_on(
    model: SpanModel,
    change: Change,
    lines: Sequence[Lines],
    facts_from: Callable[[int], Sequence[Fact]],
    since: int = 1,
) -> Folded:
    """Match facts, of which the first are as before if they stand in the same lines.

    `facts_from` gives the facts from a position on; `lines` are those of all from the
    line `since` on.
    """
    same, above = 0, _count_above(model, change, {}, since)
    alive = _alive_rows(model, change, {}, above, by="position")
    for row, at in zip(alive, lines, strict=False):
        place = above + same, at.first, at.last
        if at.last > change.same or place != (*row[1:4],):
            break
        same += 1
    return _fold(model, change, facts_from(same), alive[same:], {}, above + same)


def _count_above(
    model: SpanModel, change: Change, only: dict[str, str], since: int
) -> int:
    """Return how many facts stand above a line."""
    of_kind = model.__name__, *only.values()
    if since == 1 or change.fresh or "/".join(of_kind) not in _stated_before(change):
        return 0
    last = _asking_above(model, tuple(only))(change.file_id, since, *only.values())
    return next((position + 1 for position in last), 0)


def _fold(
    model: SpanModel,
    change: Change,
    facts: Sequence[Fact],
    alive: list[Alive],
    only: dict[str, str],
    start: int,
) -> Folded:
    """Match facts, from a position on, to the open rows from there on."""
    pairs = (
        align(
            [Key(row.text_key, row.heading_key) for row in alive],
            [s.key for s in facts],
        )
        if alive
        else [None] * len(facts)
    )
    used = {index for index in pairs if index is not None}
    closed = [row for index, row in enumerate(alive) if index not in used]
    _close(model, change, closed)
    new = [fact for fact, index in zip(facts, pairs, strict=True) if index is None]
    stated = _statement_ids(model, change, new) if issubclass(model, Graded) else None
    matched = [
        _insert(
            model,
            change,
            next(stated) if stated else change.id_at(model, position, *only.values()),
            position,
            fact,
        )
        if index is None
        else _continue(model, change, alive[index], position, fact)
        for position, (fact, index) in enumerate(zip(facts, pairs, strict=True), start)
    ]
    return Folded(matched, closed)


def fold_keyed(
    model: SpanModel, change: Change, facts: Sequence[tuple[int, Fact]]
) -> Folded:
    """Match facts to rows by id, reopening closed ones; close the rest.

    For facts with a name of their own, such as snapshots.
    """
    alive = {row.id: row for row in _alive_rows(model, change, {})}
    named = {row_id for row_id, _ in facts}
    gone = [row for row_id, row in alive.items() if row_id not in named]
    _close(model, change, gone)
    closed = _closed_ids(model, change, named - alive.keys())
    matched = []
    for position, (row_id, fact) in enumerate(facts):
        if row_id in alive:
            matched.append(_continue(model, change, alive[row_id], position, fact))
        elif row_id in closed:
            fact = _evaluated(change, row_id, fact)
            _write(model, change, row_id, position, fact)
            matched.append(Matched(row_id, fact, "added"))
        else:
            matched.append(_insert(model, change, row_id, position, fact))
    return Folded(matched, gone)


def _alive_rows(
    model: SpanModel,
    change: Change,
    only: dict[str, str],
    since: int = 0,
    by: str = "first_line",
) -> list[Alive]:
    of_kind = model.__name__, *only.values()
    if change.fresh or "/".join(of_kind) not in _stated_before(change):
        return []
    ask = _asking(model, by, tuple(only))
    return [Alive(*row) for row in ask(change.file_id, since, *only.values())]


def _alive(model: SpanModel, file_id: int, **only: str) -> QuerySet[Any]:
    rows = model._default_manager.filter(file_id=file_id, last_seq__isnull=True)
    return rows.filter(**only)


@cache
def _asking(
    model: SpanModel, by: str, only: tuple[str, ...]
) -> Prepared[tuple[int, int, int, int, int, int]]:
    """Return the query of a file's open rows from a line or a position on."""

    def rows(file_id: int, since: int, *values: str) -> Any:
        alive = _alive(model, file_id, **dict(zip(only, values, strict=True)))
        below = alive.filter(**{f"{by}__gte": since})
        return below.order_by("position").values_list(*Alive._fields)

    return Prepared(rows, int, int, *[str] * len(only))


@cache
def _asking_above(model: SpanModel, only: tuple[str, ...]) -> Prepared[int]:
    """Return the query of the last position of a file's open rows above a line."""

    def rows(file_id: int, since: int, *values: str) -> Any:
        alive = _alive(model, file_id, **dict(zip(only, values, strict=True)))
        above = alive.filter(first_line__lt=since).order_by("-position")
        return above.values_list("position", flat=True)[:1]

    return Prepared(rows, int, int, *[str] * len(only))


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


def _closed_ids(model: SpanModel, change: Change, ids: Iterable[int]) -> set[int]:
    wanted = list(ids)
    if not wanted or change.fresh:
        return set()
    found = model._default_manager.filter(id__in=wanted).values_list("id", flat=True)
    return set(found)


def _statement_ids(
    model: SpanModel, change: Change, new: Sequence[Fact]
) -> Iterator[int]:
    """Yield the ids of new statements, derived from their texts.

    Other statements of the file thus change none. A row that an earlier version named
    by its place keeps that id, see `KeptId`.
    """
    told = Counter[int]()
    kept = dict(_KEPT(change.workspace.id, change.seq)) if new else {}
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


def _close(model: SpanModel, change: Change, closed: Iterable[Alive]) -> None:
    for row in closed:
        change.rows.update(model, row.id, last_seq=change.seq)


def _insert(
    model: SpanModel, change: Change, row_id: int, position: int, fact: Fact
) -> Matched:
    fact = _evaluated(change, row_id, _written(change, fact))
    own = {"id": row_id, "workspace_id": change.workspace.id, "first_seq": change.seq}
    change.rows.add(model, own | _columns(change, position, fact))
    return Matched(row_id, fact, "added")


def _continue(
    model: SpanModel, change: Change, row: Alive, position: int, fact: Fact
) -> Matched:
    if row.text_key != fact.key.text:
        fact = _evaluated(change, row.id, fact)
        _write(model, change, row.id, position, fact)
        return Matched(row.id, fact, "changed")
    place = (row.position, row.first_line, row.last_line)
    if place != (position, *fact.lines):
        change.rows.update(
            model,
            row.id,
            position=position,
            first_line=fact.lines.first,
            last_line=fact.lines.last,
        )
    if row.id in change.assigned:
        fact = _evaluated(change, row.id, fact)
    return Matched(row.id, fact, "kept")


def _written(change: Change, fact: Fact) -> Fact:
    """Return a new fact as that of the agent that wrote it, if it names no other."""
    if change.acting_id is None or fact.values.get("agent_rule", "marker") == "marker":
        return fact
    writer = {"agent_id": change.acting_id, "agent_rule": "marker"}
    return Fact(fact.key, fact.lines, {**fact.values, **writer})


def _evaluated(change: Change, row_id: int, fact: Fact) -> Fact:
    """Evaluate a fact's columns, overridden by those a person has set."""
    assigned = change.assigned.get(row_id)
    if assigned is not None:
        return Fact(fact.key, fact.lines, {**fact.values, **assigned})
    return (
        Fact(fact.key, fact.lines, fact.columns()) if callable(fact.columns) else fact
    )


def _write(
    model: SpanModel, change: Change, row_id: int, position: int, fact: Fact
) -> None:
    """Change the columns of a row; its owner only where the new text names one."""
    columns = _columns(change, position, fact)
    for owner in ("agent", "topic"):
        rule = columns.get(f"{owner}_rule")
        if rule is not None and rule not in ("marker", "session", "assigned"):
            del columns[f"{owner}_id"], columns[f"{owner}_rule"]
    change.rows.update(model, row_id, **columns)


def _columns(change: Change, position: int, fact: Fact) -> dict[str, Any]:
    return {
        "file_id": change.file_id,
        "position": position,
        "first_line": fact.lines.first,
        "last_line": fact.lines.last,
        "last_seq": None,
        "text_key": fact.key.text,
        "heading_key": fact.key.heading,
        **fact.values,
    }
