"""A day over all agents, also as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, datetime
from pathlib import PurePosixPath
from typing import Any

from memoryhub.formats.text.dates import after_title
from memoryhub.formats.text.frontmatter import without_markup
from memoryhub.journal.day_sources import Precision
from memoryhub.journal.models import Workspace
from memoryhub.journal.page_cache import cached
from memoryhub.journal.versions import known_paths
from memoryhub.timeline.queries.changed_files import ChangedFile, FileText, texts_of
from memoryhub.timeline.queries.days import DayEntry, DayFacts
from memoryhub.values.identity import code_of
from memoryhub.web.decisions.rows import (
    decision_rows,
    directive_rows,
)
from memoryhub.web.kit.clock import Clock, time_label
from memoryhub.web.kit.links import Addresses
from memoryhub.web.kit.markdown import render_markdown
from memoryhub.web.kit.prose import (
    PathLinks,
    plain_text,
    prose_of,
    shortened,
    without_anchors,
)
from snapshots.models import AuthoredSpan
from snapshots.queries.open_items import reported_done, superseded
from topics.models import Directive

_TITLE = 120
#: Files whose beginnings a day without entries shows, and their lines.
_NOTES, _NOTE_LINES = 12, 40


def day_page(
    workspace: Workspace,
    day: date,
    facts: DayFacts,
    near: tuple[datetime | None, datetime | None],
    addresses: Addresses,
    clock: Clock,
) -> dict[str, Any]:
    """Return the template values of a day's page."""
    agents = dict.fromkeys(e.entry.agent.name for e in facts.entries if e.entry.agent)
    rows_of = _items(workspace, facts, addresses, clock)
    return {
        "label": clock.day_label(day),
        "near": clock.near(day),
        "entries": entry_rows(workspace, day, facts.entries, addresses, clock),
        "notes": note_rows(workspace, _notes_of(workspace, facts), addresses, clock),
        "snapshots": [
            {
                **_row(snapshot, addresses, clock),
                "url": addresses.snapshot(code_of(snapshot.pk)),
                "title": plain_text(snapshot.goal.strip().partition("\n")[0])[:220],
                "id": snapshot.snapshot_id,
                "percent": snapshot.percent,
            }
            for snapshot in facts.snapshots
        ],
        "open_items": rows_of[""],
        "done_items": rows_of["done"],
        "done_since": rows_of["since"],
        "decisions": decision_rows(facts.decisions, addresses),
        **_directives(workspace, facts.directives, addresses),
        "files": file_rows(facts.files, addresses, clock),
        "agents": list(agents),
        "more": facts.more,
        "is_empty": facts.is_empty,
        "before": _neighbour(near[0], addresses, clock),
        "after": _neighbour(near[1], addresses, clock),
    }


def _items(
    workspace: Workspace, facts: DayFacts, addresses: Addresses, clock: Clock
) -> dict[str, list[dict[str, Any]]]:
    """Return the items of a day that are open, done, and done since: "since".

    Those of a snapshot that a newer one supersedes are left out.
    """
    closed = reported_done(workspace) if facts.items else frozenset()
    found: dict[str, list[dict[str, Any]]] = {"": [], "done": [], "since": []}
    past = superseded(workspace) if facts.items else frozenset()
    for item in facts.items:
        if item.pk in past and not item.done:
            continue
        state = "done" if item.done else "since" if item.pk in closed else ""
        row = {**_row(item, addresses, clock), "text": shortened(item.text)}
        found[state].append(row)
    return found


def entry_rows(
    workspace: Workspace,
    day: date,
    entries: Sequence[DayEntry],
    addresses: Addresses,
    clock: Clock,
) -> list[dict[str, Any]]:
    """Return the entries of a day with their texts as HTML."""
    codes = tuple((entry.entry.pk, len(entry.lines)) for entry in entries)
    prose = cached(
        workspace,
        ("day", str(clock.zone), day, codes),
        lambda: _prose(workspace, addresses, entries),
    )
    return [
        {**_entry(entry, day, addresses, clock), "html": html}
        for entry, html in zip(entries, prose, strict=True)
    ]


def note_rows(
    workspace: Workspace,
    notes: Sequence[FileText],
    addresses: Addresses,
    clock: Clock,
) -> list[dict[str, Any]]:
    """Return the beginnings of files that changed, in the form of entries."""
    return [
        {
            "code": code_of(note.file.pk),
            "source": addresses.file(note.changed.path),
            "title": plain_text(note.title)[:_TITLE],
            **_time_of(note.changed.at, note.day, clock),
            "html": prose_of(
                workspace, addresses, note.changed.path, without_markup(note.text)
            ),
            "path": note.changed.path,
            "agent": note.changed.actor,
            "cut": note.cut,
        }
        for note in notes
    ]


def _time_of(at: datetime | None, day: date | None, clock: Clock) -> dict[str, str]:
    if at and not day:
        iso = clock.local(at).isoformat(timespec="seconds")
        return {"time": clock.moment(at), "iso": iso}
    return {"time": clock.date_label(day), "iso": day.isoformat() if day else ""}


def _directives(
    workspace: Workspace, found: Iterable[Directive], addresses: Addresses
) -> dict[str, object]:
    """Return the directives of people, and other rules."""
    people: list[Directive] = []
    noted: list[Directive] = []
    for row in found:
        (people if row.origin == Directive.Origin.PERSON else noted).append(row)
    return {
        "directives": directive_rows(workspace, people, addresses),
        "rules": directive_rows(workspace, noted, addresses),
    }


def file_rows(
    files: Iterable[ChangedFile], addresses: Addresses, clock: Clock
) -> list[dict[str, Any]]:
    """Return files that changed, with their lines and times."""
    return [
        {
            "row": file,
            "title": _own_title(file),
            "url": addresses.file(file.path)
            if file.verb in ("read", "deleted")
            else addresses.file(file.path, view="history"),
            **_time_of(file.at, file.day, clock),
        }
        for file in files
    ]


def _own_title(file: ChangedFile) -> str:
    """Return a file's title; empty if it is the file's name."""
    title = plain_text(file.title)[:_TITLE]
    name = PurePosixPath(file.path)
    return (
        ""
        if title.casefold() in (name.name.casefold(), name.stem.casefold())
        else title
    )


def _notes_of(workspace: Workspace, facts: DayFacts) -> list[FileText]:
    if facts.entries:
        return []
    return texts_of(workspace, facts.files, _NOTES, _NOTE_LINES)


def _neighbour(
    at: datetime | None, addresses: Addresses, clock: Clock
) -> dict[str, str]:
    if at is None:
        return {}
    day = clock.day(at)
    return {"url": addresses.day(day), "label": clock.day_label(day)}


def _row(row: AuthoredSpan, addresses: Addresses, clock: Clock) -> dict[str, Any]:
    """Return time, agent, topic and place in the file of a log's row."""
    local = clock.local(row.occurred_at)
    timed = row.precision not in {Precision.DAY.value, Precision.NONE.value}
    path = row.file.path
    return {
        "source": addresses.file(path, line=row.first_line),
        "path": path,
        "line": row.first_line,
        "agent": row.agent.name if row.agent else "",
        "topic": row.topic.name if row.topic else "",
        "topic_url": addresses.topic(row.topic.slug) if row.topic else "",
        "time": time_label(local) if timed else "",
        "iso": local.isoformat(timespec="seconds") if timed else "",
    }


def _entry(
    entry: DayEntry, day: date, addresses: Addresses, clock: Clock
) -> dict[str, Any]:
    code = code_of(entry.entry.pk)
    return {
        **_row(entry.entry, addresses, clock),
        "code": code,
        "title": plain_text(entry.entry.title),
        "cut": entry.cut,
        "assign_url": addresses.assign("entry", code, addresses.day(day)),
    }


def _prose(
    workspace: Workspace, addresses: Addresses, entries: Sequence[DayEntry]
) -> list[str]:
    """Render all entries; one query finds the linked paths of all of them."""
    links = PathLinks(addresses)
    html = [_rendered(entry, links) for entry in entries]
    known = known_paths(workspace, links.named) if links.named else set()
    if known == links.named:
        return html
    return [_rendered(entry, PathLinks(addresses, known)) for entry in entries]


def _rendered(entry: DayEntry, links: PathLinks) -> str:
    body = after_title(without_markup(entry.text), entry.entry.title)
    html = render_markdown(body, path=entry.entry.file.path, link=links)
    return without_anchors(html)


def day_markdown(day: date, facts: DayFacts) -> str:
    """Return a day as Markdown for agents: each entry after its source as comment."""
    parts = [f"# {day.isoformat()}\n"]
    for entry in facts.entries:
        row = entry.entry
        who = f" · {row.agent.name}" if row.agent else ""
        place = f"{row.file.path}:{row.first_line}-{row.last_line}{who}"
        parts.append(f"\n<!-- {_comment(place)} -->\n{_source_of(entry)}\n")
    return "".join(parts)


def _source_of(entry: DayEntry) -> str:
    if entry.data_text is None:
        return "\n".join(entry.lines)
    return f"## {entry.entry.title}\n\n{entry.data_text}"


def _comment(text: str) -> str:
    """Make a text safe within an HTML comment."""
    return " ".join(text.split()).replace("--", "—")
