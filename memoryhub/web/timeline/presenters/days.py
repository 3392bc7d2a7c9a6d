"""Presenter of a day over all agents, also as Markdown."""

from __future__ import annotations

from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class DayPage:
    """Template values of a day's page."""

    label: str
    near: str
    entries: tuple[dict[str, Any], ...]
    snapshots: tuple[dict[str, Any], ...]
    items: tuple[dict[str, Any], ...]
    open_items: int
    agents: tuple[str, ...]
    more: bool
    before: dict[str, str]
    after: dict[str, str]


def day_page(
    workspace: Workspace,
    day: date,
    facts: DayFacts,
    near: tuple[datetime | None, datetime | None],
    addresses: Addresses,
    clock: Clock,
) -> DayPage:
    """Return the page of a day."""
    presenter = _DayPresenter(addresses, clock)
    prose = cached(
        workspace,
        f"day:{clock.zone}:{day}:{len(facts.entries)}",
        lambda: _prose(workspace, addresses, facts.entries),
    )
    agents = dict.fromkeys(e.entry.agent.name for e in facts.entries if e.entry.agent)
    return DayPage(
        label=clock.day_label(day),
        near=clock.near(day),
        entries=tuple(
            {**presenter.entry(entry, day), "html": html}
            for entry, html in zip(facts.entries, prose, strict=True)
        ),
        snapshots=tuple(
            {
                **presenter.row(snapshot),
                "url": addresses.snapshot(code_of(snapshot.pk)),
                "title": snapshot.goal.strip().partition("\n")[0][:220],
                "id": snapshot.snapshot_id,
                "percent": snapshot.percent,
            }
            for snapshot in facts.snapshots
        ),
        items=tuple(
            {**presenter.row(item), "text": item.text[:300], "done": item.done}
            for item in facts.items
        ),
        open_items=sum(not item.done for item in facts.items),
        agents=tuple(agents),
        more=facts.more,
        before=_neighbour(near[0], addresses, clock),
        after=_neighbour(near[1], addresses, clock),
    )


def _neighbour(
    at: datetime | None, addresses: Addresses, clock: Clock
) -> dict[str, str]:
    if at is None:
        return {}
    day = clock.day(at)
    return {"url": addresses.day(day), "label": clock.day_label(day)}


@dataclass(frozen=True, slots=True)
class _DayPresenter:
    """Presenter of log rows: time, agent, place in the file."""

    addresses: Addresses
    clock: Clock

    def row(self, row: AuthoredSpan) -> dict[str, Any]:
        local = self.clock.local(row.occurred_at)
        timed = row.precision not in {Precision.DAY.value, Precision.NONE.value}
        path = row.file.path
        return {
            "source": self.addresses.file(path, line=row.first_line),
            "path": path,
            "line": row.first_line,
            "agent": row.agent.name if row.agent else "",
            "topic": row.topic.name if row.topic else "",
            "topic_url": self.addresses.topic(row.topic.slug) if row.topic else "",
            "time": time_label(local) if timed else "",
            "iso": local.isoformat(timespec="seconds") if timed else "",
        }

    def entry(self, entry: DayEntry, day: date) -> dict[str, Any]:
        return {
            **self.row(entry.entry),
            "code": code_of(entry.entry.pk),
            "title": entry.entry.title,
            "cut": entry.cut,
            "assign_url": self.addresses.assign(
                "entry", code_of(entry.entry.pk), self.addresses.day(day)
            ),
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
