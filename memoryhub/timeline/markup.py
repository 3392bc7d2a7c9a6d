"""Rows of the timeline as HTML, put together as text.

A page has 50 rows of a dozen values each: in a template they would take as long as
everything else on the page.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from django.utils.safestring import SafeString, mark_safe

from memoryhub.templatetags.parts import icon
from memoryhub.timeline.shown import Fact, ShownEvent


def event_rows(events: Iterable[ShownEvent]) -> SafeString:
    """Return events as items of a list; all text in them is escaped."""
    return mark_safe("\n".join(map(_row, events)))


def _row(event: ShownEvent) -> str:
    detail = _tag("p", "d clamp2", event.detail)
    facts = "".join(map(_fact, event.facts))
    line = f'<p class="m">{facts}</p>' if facts else ""
    hint = f' title="{escape(event.hint)}"' if event.hint else ""
    return (
        f'<li class="ev {event.style}" id="e-{event.code}">'
        f'<span class="ev-ic">{icon(event.icon)}</span><div><p class="t">'
        f'<span class="sr">{escape(event.kind)}: </span>'
        f'<a class="cover" href="{escape(event.url)}">{escape(event.title)}</a></p>'
        f"{detail}{line}</div>"
        f'<time datetime="{event.iso}"{hint}>{escape(event.time)}</time></li>'
    )


def _fact(fact: Fact) -> str:
    return _tag("span", fact.style, fact.text)


def _tag(name: str, style: str, text: str) -> str:
    if not text:
        return ""
    classes = f' class="{style}"' if style else ""
    return f"<{name}{classes}>{escape(text)}</{name}>"


def option_list(pairs: Iterable[tuple[str, str]], chosen: str) -> SafeString:
    """Return options of a select, as value and label, one of them chosen."""
    return mark_safe("".join(_option(v, label, chosen) for v, label in pairs))


def _option(value: str, label: str, chosen: str) -> str:
    selected = " selected" if value == chosen else ""
    return f'<option value="{escape(value)}"{selected}>{escape(label)}</option>'
