"""Rows of the timeline as HTML, built without templates.

A page has 50 rows of a dozen values each: templates would take as long as everything
else on the page.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from html import escape
from typing import NamedTuple

from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language, gettext, ngettext

from memoryhub.web.kit.labels import headed
from memoryhub.web.templatetags.parts import icon, new_mark


class Fact(NamedTuple):
    """A few words about an event, with their CSS class."""

    text: str
    style: str = ""


class ShownEvent(NamedTuple):
    """A row of the timeline."""

    code: str
    style: str
    icon: str
    kind: str
    url: str
    title: str
    detail: str
    facts: tuple[Fact, ...]
    iso: str
    time: str
    hint: str
    new: bool = False
    on: bool = False


def event_row(event: ShownEvent) -> str:
    """Return an event as a list item, escaped and cached.

    Most events are the same on the next page, so each is rendered once.
    """
    return _event_row(event, get_language())


@lru_cache(maxsize=2_000)
def _event_row(event: ShownEvent, _: str | None) -> str:
    detail = _tag("p", "d clamp2", event.detail)
    facts = "".join(map(_fact, event.facts))
    line = f'<p class="m">{facts}</p>' if facts else ""
    on = ' aria-current="true"' if event.on else ""
    return (
        f'<li class="ev {event.style}{" is-on" if event.on else ""}"'
        f' id="e-{event.code}">'
        f'<span class="ev-ic">{icon(event.icon)}</span><div><p class="t">'
        f'<span class="sr">{escape(headed(event.kind, ""))}</span>'
        f'<a class="cover" href="{escape(event.url)}"{on}>{escape(event.title)}</a></p>'
        f"{detail}{line}</div>{_time(event)}</li>"
    )


def burst_row(events: Sequence[ShownEvent]) -> str:
    """Return history lines of an agent as one item that unfolds."""
    first = events[0]
    count = ngettext("%(n)s history line", "%(n)s history lines", len(events))
    rows = "".join(map(event_row, events))
    opened = " open" if any(event.on for event in events) else ""
    who = "".join(_fact(fact) for fact in first.facts)
    return (
        f'<li class="ev burst"><span class="ev-ic">{icon(first.icon)}</span>'
        f'<details{opened}><summary class="cover">{count % {"n": len(events)}}'
        f'<span class="m">{who}</span></summary>'
        f'<ol class="events">{rows}</ol></details>{_time(first)}</li>'
    )


def seen_row(label: str) -> str:
    """Return the separator between new and seen rows."""
    return f'<li class="seen">{escape(label)}</li>'


def _time(event: ShownEvent) -> str:
    hint = f' title="{escape(event.hint)}"' if event.hint else ""
    new = new_mark(gettext("New since your last visit")) if event.new else ""
    if not event.iso:
        return new
    return f'<time datetime="{event.iso}"{hint}>{new}{escape(event.time)}</time>'


def _fact(fact: Fact) -> str:
    return _tag("span", fact.style, fact.text)


def _tag(name: str, style: str, text: str) -> str:
    if not text:
        return ""
    classes = f' class="{style}"' if style else ""
    return f"<{name}{classes}>{escape(text)}</{name}>"


@lru_cache(maxsize=64)
def option_list(pairs: tuple[tuple[str, str], ...], chosen: str) -> SafeString:
    """Return the options of a select from (value, label), one selected."""
    return mark_safe("".join(_option(v, label, chosen) for v, label in pairs))


def _option(value: str, label: str, chosen: str) -> str:
    selected = " selected" if value == chosen else ""
    # Without `value` a browser sends the label with its whitespace normalised.
    is_label = value == " ".join(label.split())
    named = "" if is_label else f' value="{escape(value)}"'
    return f"<option{named}{selected}>{escape(label)}</option>"
