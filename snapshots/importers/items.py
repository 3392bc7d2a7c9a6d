"""Open items that files state, as rows: those of snapshots and session memories, too.

Rows of an older snapshot stay stated; `snapshots.queries.open_items` tells which are
superseded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from memoryhub.formats.ccw.session_analysis import KNOWN_ISSUES, PENDING, PLAN
from memoryhub.formats.ccw.session_compact import SessionCompact
from memoryhub.formats.text.alignment import Key, key_of
from memoryhub.journal.changes import Change
from memoryhub.journal.grades import grade_columns, statement_key
from memoryhub.journal.lifetimes import Fact, fold_aligned
from memoryhub.journal.rows import Row
from memoryhub.prose.stated import OpenItem as FoundItem
from memoryhub.prose.stated import find_stated, listed_items
from snapshots.importers.provenance import (
    Owners,
    Provenance,
    Timestamp,
    add_row_event,
)
from snapshots.importers.snapshots import owners_of_block, snapshots_in, time_of_block
from snapshots.importers.work_notes import stated_time
from snapshots.models import OpenItem


def fold_items(
    change: Change,
    items: Iterable[FoundItem],
    provenance: Provenance,
    owners: Owners,
) -> None:
    """Import the open items of a revision; one ticked since is an event.

    A line of a snapshot or session memory is one of its items, whatever else reads it.
    """
    found: list[tuple[FoundItem, Callable[[], Row]]] = [
        (item, partial(_row, change, item, when, own))
        for item, when, own in _of_blocks(change, provenance)
    ]
    taken = {item.lines.first for item, _ in found}
    found += (
        (item, partial(_columns, change, item, provenance, owners))
        for item in items
        if item.lines.first not in taken
    )
    found.sort(key=lambda one: one[0].lines)
    facts = [
        Fact(Key(key_of(said, "").text, text_key), item.lines, columns)
        for item, columns in found
        if not change.has_secret(item.lines)
        for text_key in (statement_key("item", item.text),)
        for said in (f"{item.mark}\n{item.done}\n{item.confidence}\n{item.text}",)
    ]
    for matched in fold_aligned(OpenItem, change, facts).matched:
        if matched.verb == "changed" and matched.fact.values["done"]:
            text = matched.fact.values["text"]
            add_row_event(change, matched._replace(verb="ticked"), "note", text)


def _of_blocks(
    change: Change, provenance: Provenance
) -> Iterator[tuple[FoundItem, Timestamp, Owners]]:
    """Yield the open items of snapshots and a session memory, with their time."""
    for block in snapshots_in(change):
        when = time_of_block(block, provenance)
        owners = owners_of_block(change, block, provenance)
        for item in listed_items((*block.blockers, *block.next_steps)):
            yield item, when, owners
    match change.document:
        case SessionCompact(items=lists) as memory:
            when = provenance.past(provenance.at(memory.created))
            owners = provenance.owners()
            for item in listed_items((*lists[KNOWN_ISSUES], *lists[PENDING])):
                yield item, when, owners
            if plan := memory.section(PLAN):
                first, last = plan.lines
                for item in find_stated(change.text, asked=()).open_items:
                    if item.mark and first <= item.lines.first <= last:
                        yield item, when, owners


def _row(change: Change, item: FoundItem, when: Timestamp, owners: Owners) -> Row:
    verdict = change.assigned.get(statement_key("item", item.text))
    return {
        **grade_columns(item.confidence, item.why, verdict),
        "text": item.text,
        "done": item.done,
        "mark": item.mark[:20],
        **when.columns,
        **owners.columns,
    }


def _columns(
    change: Change, item: FoundItem, provenance: Provenance, owners: Owners
) -> Row:
    when = stated_time(provenance, item.lines)
    return _row(change, item, when, _owners(item, provenance, owners))


def _owners(item: FoundItem, provenance: Provenance, owners: Owners) -> Owners:
    """Return the owners of an item: its own agent, else those of its file."""
    if not item.agent:
        return owners
    named = provenance.author(item.agent)
    return owners._replace(agent=provenance.owners(agent=named).agent)
