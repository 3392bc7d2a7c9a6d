"""Statements of prose: decisions and directives with their entry's time, open items."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

from memoryhub.dialects.daily_log import DailyLog
from memoryhub.dialects.decision_log import said_in_prose
from memoryhub.dialects.roles import Role
from memoryhub.dialects.session_compact import (
    KNOWN_ISSUES,
    PENDING,
    PLAN,
    SessionCompact,
)
from memoryhub.dialects.session_transcript import SessionTranscript
from memoryhub.dialects.statements import statements_of
from memoryhub.dialects.work_note import WorkNote
from memoryhub.formats.base import Lines
from memoryhub.formats.text.alignment import Key, key_of
from memoryhub.formats.text.source import split_lines
from memoryhub.journal.changes import Change
from memoryhub.journal.grades import grade_columns, statement_key
from memoryhub.journal.lifetimes import Fact, fold_aligned
from memoryhub.journal.rows import Row
from memoryhub.prose.model import Judge
from memoryhub.prose.stated import (
    DONE_BOXES,
    Stated,
    StatedDecision,
    StatedDirective,
    find_stated,
    is_done,
    is_empty,
    reason_in,
    still_open,
)
from memoryhub.prose.stated import OpenItem as FoundItem
from memoryhub.prose.units import Block, bare, blocks_of, read_marks, units_of
from snapshots.importers.linking import STATEMENTS
from snapshots.importers.provenance import (
    Owners,
    Provenance,
    Timestamp,
    add_row_event,
)
from snapshots.importers.snapshots import owners_of_block, snapshots_in, time_of_block
from snapshots.importers.work_notes import (
    entry_at,
    heading_at,
    owners_of,
    owners_of_part,
    stated_time,
)
from snapshots.models import OpenItem
from topics.importers.decisions import Mention, fold_directives, not_above

_NO_LETTERS = re.compile(r"[\W_]+")


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
        if item.lines.first >= change.since
    ]
    taken = {item.lines.first for item, _ in found}
    found += (
        (item, partial(_columns, change, item, provenance, owners))
        for item in _going_on(change, items)
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
    for matched in fold_aligned(OpenItem, change, facts, change.since).matched:
        if matched.verb == "changed" and matched.fact.values["done"]:
            text = matched.fact.values["text"]
            add_row_event(change, matched._replace(verb="ticked"), "note", text)


def _going_on(change: Change, items: Iterable[FoundItem]) -> Iterator[FoundItem]:
    """Yield items that are new in a log which goes on; close those now done above."""
    log, items = change.document, [*items]
    if change.since == 1 or not isinstance(log, DailyLog):
        yield from items
        return
    above = {}
    if items or log.reports:
        rows = OpenItem.everything.filter(
            file_id=change.file_id, last_seq=None, first_line__lt=change.since
        )
        blocks = (one.lines for one in log.snapshots)
        taken = {n for at in blocks for n in range(at.first, at.last + 1)}
        above = {
            FoundItem(text, done, mark, Lines(first, last)): row_id
            for row_id, text, done, mark, first, last in rows.values_list(
                "id", "text", "done", "mark", "first_line", "last_line"
            )
            if first not in taken
        }
    for item in still_open([*above, *items], log.reports):
        if above.pop(item, None) is None:
            yield item
    for row_id in above.values():
        change.rows.update(OpenItem, row_id, last_seq=change.seq)


def _of_blocks(
    change: Change, provenance: Provenance
) -> Iterator[tuple[FoundItem, Timestamp, Owners]]:
    """Yield the open items of snapshots and a session memory, with their time."""
    for block in snapshots_in(change):
        when = time_of_block(block, provenance)
        owners = owners_of_block(change, block, provenance)
        for item in _listed((*block.blockers, *block.next_steps)):
            yield item, when, owners
    match change.document:
        case SessionCompact(items=lists) as memory:
            when = provenance.past(provenance.at(memory.created))
            owners = provenance.owners()
            for item in _listed((*lists[KNOWN_ISSUES], *lists[PENDING])):
                yield item, when, owners
            if plan := memory.section(PLAN):
                first, last = plan.lines
                for item in find_stated(change.text, asked=()).open_items:
                    if item.mark and first <= item.lines.first <= last:
                        yield item, when, owners


def _listed(listed: Iterable[Any]) -> Iterator[FoundItem]:
    """Yield those of a list of open work that are open, or have a ticked box."""
    for one in listed:
        block = Block("item", 1, 1, " ".join(one.text.split()))
        read_marks(block)
        text, ticked = block.whole.strip(), (block.box or " ") in DONE_BOXES
        if not is_empty(bare(text)) and (ticked or not is_done(text)):
            yield FoundItem(text, ticked, block.box or "", one.lines)


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
    return _row(change, item, when, _owners_of_item(item, provenance, owners))


def _owners_of_item(item: FoundItem, provenance: Provenance, owners: Owners) -> Owners:
    """Return the owners of an item: its own agent, else those of its file."""
    if not item.agent:
        return owners
    named = provenance.author(item.agent)
    return owners._replace(agent=provenance.owners(agent=named).agent)


def take_statements(
    change: Change, provenance: Provenance, topic_id: int | None
) -> list[Mention]:
    """Import directives and open items of a revision; return decisions that it states.

    `topic_id` is the topic whose file it is; a log has none of its own.
    """
    stated = _with_accepted(change, statements_of(change.pure_path, change.document))
    stated = _of_role(change.role, stated)
    owners = _owners(change, provenance, topic_id)
    if not any(stated):
        fold_directives(change)
        fold_items(change, (), provenance, owners)
        return []
    fold_items(change, stated.open_items, provenance, owners)
    placed = {"topic_id": owners.topic.id, "agent_id": owners.agent.id}
    when = partial(_when, change, provenance)
    fold_directives(change, stated.directives, placed, when)
    mentions = [
        Mention(
            said_in_prose(one.text, one.reason),
            one.lines,
            owners.topic.id,
            _author(change, provenance, one.lines) or owners.agent.id,
            *when(one.lines),
            one.confidence,
            one.why,
        )
        for one in stated.decisions
    ]
    return [*not_above(change, mentions)]


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


def _author(change: Change, provenance: Provenance, lines: Lines) -> int | None:
    """Return the id of the agent that a note or a heading names for these lines."""
    match change.document:
        case DailyLog() as log:
            heading = heading_at(log, lines.first)
            name = provenance.author_of_entry(log, heading) if heading else ""
            return provenance.owners(agent=name).agent.id if name else None
        case WorkNote(parts=parts):
            inside = (
                part
                for part in parts
                if part.agent and part.lines.first <= lines.first <= part.lines.last
            )
            part = next(inside, None)
            found = owners_of_part(part, provenance) if part else None
            return found.agent.id if found else None
    return None


def _owners(change: Change, provenance: Provenance, topic_id: int | None) -> Owners:
    match change.document:
        case DailyLog() as log:
            return provenance.owners(
                log.session_keys, agent=provenance.author(log.agent), topic_id=topic_id
            )
        case SessionTranscript() as session:
            return provenance.owners([session.session_key], topic_id=topic_id)
        case WorkNote() as note:
            return owners_of(note, provenance, topic_id)
    return provenance.owners(topic_id=topic_id)


def _when(change: Change, provenance: Provenance, lines: Lines) -> Timestamp:
    """Return the time of the entry that holds the lines, else that of the file."""
    match change.document:
        case DailyLog() as log:
            entry = entry_at(log, lines.first)
            title = entry.title if entry and entry.level else ""
            return provenance.of_entry(title, entry.time if entry else None)
    return stated_time(provenance, lines)
