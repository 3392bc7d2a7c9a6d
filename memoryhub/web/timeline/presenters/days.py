"""Presenter of a day over all agents, also as Markdown."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

from memoryhub.journal.models import Workspace
from memoryhub.journal.page_cache import cached
from memoryhub.journal.precision import Precision
from memoryhub.journal.versions import known_paths
from memoryhub.timeline.queries.days import DayEntry, DayFacts
from memoryhub.values.identity import code_of
from memoryhub.web.kit.clock import Clock, time_label
from memoryhub.web.kit.links import Addresses
from memoryhub.web.kit.markdown import render_markdown
from memoryhub.web.kit.prose import PathLinks, without_anchors
from snapshots.models import AuthoredSpan


def day_page(
    workspace: Workspace,
    day: date,
    facts: DayFacts,
    near: tuple[datetime | None, datetime | None],
    addresses: Addresses,
    clock: Clock,
) -> dict[str, Any]:
    """Return the template values of a day's page."""
    prose = cached(
        workspace,
        f"day:{clock.zone}:{day}:{len(facts.entries)}",
        lambda: _prose(workspace, addresses, facts.entries),
    )
    agents = dict.fromkeys(e.entry.agent.name for e in facts.entries if e.entry.agent)
    return {
        "label": clock.day_label(day),
        "near": clock.near(day),
        "entries": [
            {**_entry(entry, day, addresses, clock), "html": html}
            for entry, html in zip(facts.entries, prose, strict=True)
        ],
        "snapshots": [
            {
                **_row(snapshot, addresses, clock),
                "url": addresses.snapshot(code_of(snapshot.pk)),
                "title": snapshot.goal.strip().partition("\n")[0][:220],
                "id": snapshot.snapshot_id,
                "percent": snapshot.percent,
            }
            for snapshot in facts.snapshots
        ],
        "open_ends": [
            {**_row(item, addresses, clock), "text": item.text[:300], "done": item.done}
            for item in facts.items
        ],
        "open_items": sum(not item.done for item in facts.items),
        "agents": list(agents),
        "more": facts.more,
        "before": _neighbour(near[0], addresses, clock),
        "after": _neighbour(near[1], addresses, clock),
    }


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
        "title": entry.entry.title,
        "cut": entry.cut,
        "assign_url": addresses.assign("entry", code, addresses.day(day)),
    }


def _prose(
    workspace: Workspace, addresses: Addresses, entries: tuple[DayEntry, ...]
) -> list[str]:
    """Render all entries; one query finds the linked paths of all of them."""
    links = PathLinks(addresses)
    html = [_rendered(entry, links) for entry in entries]
    known = known_paths(workspace, links.named) if links.named else set()
    if known == links.named:
        return html
    return [_rendered(entry, PathLinks(addresses, known)) for entry in entries]


def _rendered(entry: DayEntry, links: PathLinks) -> str:
    html = render_markdown(entry.text, path=entry.entry.file.path, link=links)
    return without_anchors(html)


def day_markdown(day: date, facts: DayFacts) -> str:
    """Return a day as Markdown for agents: each entry after its source as comment."""
    parts = [f"# {day.isoformat()}\n"]
    for entry in facts.entries:
        row = entry.entry
        who = f" · {row.agent.name}" if row.agent else ""
        place = f"{row.file.path}:{row.first_line}-{row.last_line}{who}"
        parts.append(f"\n<!-- {_comment(place)} -->\n" + "\n".join(entry.lines) + "\n")
    return "".join(parts)


def _comment(text: str) -> str:
    """Make a text safe within an HTML comment."""
    return " ".join(text.split()).replace("--", "—")
