"""Open items that files state, as rows."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from memoryhub.formats.statements.open_items import OpenItem as FoundItem
from memoryhub.formats.text.alignment import Key, key_of
from memoryhub.journal.changes import Change
from memoryhub.journal.lifetimes import Fact, fold_aligned
from memoryhub.journal.rows import Row
from snapshots.importers.provenance import Owners, Provenance, add_row_event
from snapshots.importers.work_notes import stated_time
from snapshots.models import OpenItem


def fold_items(
    change: Change,
    items: Iterable[FoundItem],
    provenance: Provenance,
    owners: Owners,
) -> None:
    """Import the open items of a revision; one ticked since is an event."""
    facts = [
        Fact(
            Key(key_of(f"{item.mark}\n{item.done}\n{item.text}", "").text, text_key),
            item.lines,
            partial(_columns, item, provenance, owners),
        )
        for item in items
        if not change.has_secret(item.lines)
        for text_key in (key_of(item.text, "").text,)
    ]
    for matched in fold_aligned(OpenItem, change, facts).matched:
        if matched.verb == "changed" and matched.fact.values["done"]:
            text = matched.fact.values["text"]
            add_row_event(change, matched._replace(verb="ticked"), "note", text)


def _columns(item: FoundItem, provenance: Provenance, owners: Owners) -> Row:
    return {
        "text": item.text,
        "done": item.done,
        "mark": item.mark[:20],
        **stated_time(provenance, item.lines).columns,
        **_owners(item, provenance, owners).columns,
    }


def _owners(item: FoundItem, provenance: Provenance, owners: Owners) -> Owners:
    """Return the owners of an item: its own agent, else those of its file."""
    if not item.agent:
        return owners
    named = provenance.author(item.agent)
    return owners._replace(agent=provenance.owners(agent=named).agent)
