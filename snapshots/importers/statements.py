"""Statements of prose: decisions and directives with their entry's time, open items."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from functools import partial
from typing import Any

from memoryhub.dialects.decision_log import said_in_prose
from memoryhub.dialects.roles import Role
from memoryhub.formats.base import Lines
from memoryhub.formats.text.alignment import Key, key_of
from memoryhub.formats.text.source import split_lines
from memoryhub.journal.changes import Change
from memoryhub.journal.grades import grade_columns, statement_key
from memoryhub.journal.lifetimes import Fact, fold_aligned
from memoryhub.journal.rows import Row
from memoryhub.prose.model import Judge
from memoryhub.prose.stated import (
    OpenItem as FoundItem,
)
from memoryhub.prose.stated import (
    Stated,
    StatedDecision,
    StatedDirective,
    reason_in,
    still_open,
)
from memoryhub.prose.units import blocks_of, units_of
from snapshots.importers.linking import STATEMENTS
from snapshots.importers.provenance import Provenance, add_row_event
from snapshots.models import OpenItem
from topics.importers.decisions import Mention, fold_directives, not_above

_NO_LETTERS = re.compile(r"[\W_]+")


def take_statements(
    change: Change,
    provenance: Provenance,
    topic_id: int | None,
    of_blocks: Iterable[tuple[FoundItem, Row]],
) -> list[Mention]:
    """Import directives and open items of a revision; return decisions that it states.

    `topic_id` is the topic whose file it is; a log has none of its own. `of_blocks` are
    the items of snapshots and of a session memory, with their times and owners.
    """
    stated = _with_accepted(change, change.said.statements())
    stated = _of_role(change.role, stated)
    owners = provenance.owners_of(topic_id=topic_id)
    fold_items(change, stated.open_items, provenance, owners, of_blocks)
    when = partial(_when, provenance)
    placed = {name: owners[name] for name in ("topic_id", "agent_id")}
    fold_directives(change, stated.directives, placed, when)
    mentions = [
        Mention(
            said_in_prose(one.text, one.reason),
            one.lines,
            owners["topic_id"],
            provenance.agent_at(one.lines.first) or owners["agent_id"],
            *when(one.lines),
            one.confidence,
            one.why,
        )
        for one in stated.decisions
    ]
    return [*not_above(change, mentions)]


def _when(provenance: Provenance, lines: Lines) -> tuple[datetime, str]:
    row = provenance.when_at(lines.first)
    return row["occurred_at"], row["precision"]


def fold_items(
    change: Change,
    items: Sequence[FoundItem],
    provenance: Provenance,
    owners: Row,
    of_blocks: Iterable[tuple[FoundItem, Row]],
) -> None:
    """Import the open items of a revision; one ticked since is an event.

    A line of a snapshot or session memory is one of its items, whatever else reads it.
    """
    found: list[tuple[FoundItem, Row | None]] = [
        (item, row) for item, row in of_blocks if item.lines.first >= change.since
    ]
    taken = {item.lines.first for item, _ in found}
    found += (
        (item, None)
        for item in _going_on(change, items)
        if item.lines.first not in taken
    )
    found.sort(key=lambda one: one[0].lines)

    def columns(item: FoundItem, said: Row | None, text_key: int) -> Row:
        if said is None:
            said = provenance.day_at(item.lines.first) | owners
            said |= provenance.assigned_to(item.agent) if item.agent else {}
        return {
            **grade_columns(item.confidence, item.why, change.assigned.get(text_key)),
            "text": item.text,
            "done": item.done,
            "mark": item.mark[:20],
            **said,
        }

    facts = [
        Fact(
            Key(key_of(source, "").text, text_key),
            item.lines,
            partial(columns, item, said, text_key),
        )
        for item, said in found
        if not change.has_secret(item.lines)
        for text_key in (statement_key("item", item.text),)
        for source in (f"{item.mark}\n{item.done}\n{item.confidence}\n{item.text}",)
    ]
    for matched in fold_aligned(OpenItem, change, facts, change.since).matched:
        if matched.verb == "changed" and matched.fact.values["done"]:
            text = matched.fact.values["text"]
            add_row_event(change, matched._replace(verb="ticked"), "note", text)


def _going_on(change: Change, items: Sequence[FoundItem]) -> Iterator[FoundItem]:
    """Yield items that are new in a log which goes on; close those now done above."""
    if change.since == 1:
        yield from items
        return
    above = {}
    if items or change.said.closing:
        rows = OpenItem.everything.filter(
            file_id=change.file_id, last_seq=None, first_line__lt=change.since
        )
        blocks = (one.lines for one in change.said.snapshots)
        taken = {n for at in blocks for n in range(at.first, at.last + 1)}
        above = {
            FoundItem(text, done, mark, Lines(first, last)): row_id
            for row_id, text, done, mark, first, last in rows.values_list(
                "id", "text", "done", "mark", "first_line", "last_line"
            )
            if first not in taken
        }
    for item in still_open([*above, *items], change.said.closing):
        if above.pop(item, None) is None:
            yield item
    for row_id in above.values():
        change.rows.update(OpenItem, row_id, last_seq=change.seq)


def _with_accepted(change: Change, stated: Stated) -> Stated:
    """Add sentences that a person accepted and the model no longer finds."""
    if not change.accepted:
        return stated
    found = dict(zip(STATEMENTS, map(list[Any], stated), strict=True))
    known = {(kind, _letters(one.text)) for kind in found for one in found[kind]}
    whole = _letters("\n".join(split_lines(change.text)[change.since - 1 :]))
    lost: dict[str, list[tuple[str, str]]] = {}
    for kind, text in change.accepted:
        letters = _letters(text)
        if letters in whole and (kind, letters) not in known:
            lost.setdefault(letters, []).append((kind, text))
    units = [u for b in blocks_of(change.text) for u in units_of(b)] if lost else []
    for place, unit in enumerate(units):
        lines = Lines(unit.line, unit.line)
        for said in (unit.text, unit.block.text) if unit.line >= change.since else ():
            for kind, text in lost.pop(_letters(said), ()):
                sure = Judge(units).of(place)[[*STATEMENTS].index(kind)]
                one: Any = FoundItem(text, False, "", lines, "", sure)
                if kind == "directive":
                    one = StatedDirective(text, lines, sure)
                elif kind == "decision":
                    one = StatedDecision(text, "", lines, reason_in(text), sure)
                found[kind].append(one)
    return Stated(
        *(tuple(sorted(some, key=lambda one: one.lines)) for some in found.values())
    )


def _letters(text: str) -> str:
    return _NO_LETTERS.sub("", text.casefold())


def _of_role(role: Role, stated: Stated) -> Stated:
    """Return the kinds of statements that are read from files of a role."""
    match role:
        case Role.MEMORY:
            return stated
        case Role.WORK:
            return Stated(open_items=stated.open_items)
        case Role.RECORD:
            return Stated(stated.decisions)
    return Stated()
