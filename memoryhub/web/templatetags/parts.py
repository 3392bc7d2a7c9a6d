"""Template tags for parts of rows, as plain functions: a row has several of each.

They are builtins of every template. Results that depend only on a few words are cached,
so that a list of 50 rows costs about a millisecond.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable
from datetime import datetime
from functools import lru_cache
from html import escape
from zlib import crc32

from django import template
from django.template.loader import render_to_string
from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

from memoryhub.people.models import User
from memoryhub.people.policy import rights_now
from memoryhub.people.rights import Right
from memoryhub.web.help import help_url
from memoryhub.web.kit.listing import FilterLink
from memoryhub.web.rights import opens

_TAG = re.compile(r"<[^>]*>")
_HAN = re.compile("[\u4e00-\u9fff]")
_KANA = re.compile("[\u3040-\u30ff]")
_LETTER = re.compile(r"[^\W\d_]")
_BETWEEN_NAMES = re.compile(r"[\s._-]+")
_LISTENED, _FEW = 4_000, 5

register = template.Library()
register.filter("opens", opens)

#: Number of tints for agents in `tokens.css`.
AGENT_TINTS = 6

#: States with a glyph; others are shown as open.
STATUS_KINDS = frozenset(
    {
        "open",
        "progress",
        "blocked",
        "done",
        "failed",
        "turn",
        "stale",
        "idle",
        "waiting",
        "conflict",
    }
)

#: Shortcut keys after ``g``, by page of the sidebar.
GO_KEYS = {
    "overview": "o",
    "timeline": "t",
    "day": "y",
    "handoffs": "h",
    "decisions": "d",
    "open-items": "i",
    "sessions": "s",
    "files": "f",
    "health": "e",
    "reviews": "r",
}

GAUGE_KINDS = frozenset({"ok", "warn", "bad", "pg", "nx", "n2", "n3"})


@register.simple_tag
def row_of(name: str, row: Hashable) -> SafeString:
    """Render a row's template, whose only context is `row` and `may`; cached.

    Most rows are the same on the next page, so each is rendered once.
    """
    return _row_of(name, row, get_language(), rights_now())


@lru_cache(maxsize=2_000)
def _row_of(
    name: str, row: Hashable, _: str | None, rights: frozenset[Right]
) -> SafeString:
    may = {right.value: right in rights for right in Right}
    return mark_safe(render_to_string(name, {"row": row, "may": may}))


@register.simple_tag(takes_context=True)
def help_address(context: template.Context) -> str:
    """Return where the manual explains the page that is shown."""
    match = context["request"].resolver_match if "request" in context else None
    return help_url(match.url_name if match else "")


@register.simple_tag(takes_context=True)
def address(context: template.Context, name: str, *args: str, **query: object) -> str:
    """Return an address of the page's workspace: a method of `Addresses`."""
    built: Callable[..., str] = getattr(context["shell"].addresses, name)
    return built(*args, **query)


@register.simple_tag(takes_context=True)
def moment(context: template.Context, at: datetime) -> str:
    """Return a moment in words, by the page's clock."""
    words: str = context["shell"].clock.moment(at)
    return words


@register.simple_tag(takes_context=True)
def iso(context: template.Context, at: datetime) -> str:
    """Return a moment as ISO 8601, in the zone of the page's clock."""
    local: datetime = context["shell"].clock.local(at)
    return local.isoformat(timespec="seconds")


@register.simple_tag(takes_context=True)
def age(context: template.Context, at: datetime) -> str:
    """Return the age of a moment in words."""
    words: str = context["shell"].clock.age(at)
    return words


@register.simple_tag(takes_context=True)
def stated(context: template.Context, at: datetime, precision: str) -> str:
    """Return a file's time in its precision."""
    words: str = context["shell"].clock.stated(at, precision)
    return words


@register.simple_tag(takes_context=True)
def day_on_disk(context: template.Context, changed_at: datetime) -> str:
    """Return the day of an undated row: that on which its file was changed."""
    words: str = context["shell"].clock.day_stated("", changed_at, "none")
    return words


@register.simple_tag(takes_context=True)
def time_of(
    context: template.Context, at: datetime, style: str = "", *, age: bool = False
) -> SafeString:
    """Return a moment as a time element; with `age` its age, and the moment as hint."""
    clock, moment = context["shell"].clock, context["shell"].clock.moment(at)
    return format_html(
        '<time{} datetime="{}"{}>{}</time>',
        format_html(' class="{}"', style) if style else "",
        clock.local(at).isoformat(timespec="seconds"),
        format_html(' title="{}"', moment) if age else "",
        clock.age(at) if age else moment,
    )


@register.simple_tag
def chips(links: Iterable[FilterLink]) -> SafeString:
    """Return filter links with their counts; the active ones are marked."""
    return mark_safe("".join(map(_chip, links)))


def _chip(link: FilterLink) -> str:
    current = ' aria-current="true"' if link.current else ""
    count = f' <span class="n">{link.count}</span>' if link.count is not None else ""
    return (
        f'<a class="chip" href="{escape(link.url)}"{current}>'
        f"{icon(link.icon) if link.icon else ''}{escape(link.label)}{count}</a>"
    )


@register.simple_tag
def icon(name: str, extra: str = "") -> SafeString:
    """Return the line icon `name` of the sprite, hidden from screen readers."""
    return _icon(str(name), str(extra))


@lru_cache(maxsize=512)
def _icon(name: str, extra: str) -> SafeString:
    classes = f"i {extra}" if extra else "i"
    return format_html(
        '<svg class="{}" aria-hidden="true"><use href="#i-{}"/></svg>', classes, name
    )


@register.simple_tag
def glyph(kind: str) -> SafeString:
    """Return the silhouette of a state without colour or word."""
    return _glyph(_known_status(kind))


@lru_cache(maxsize=64)
def _glyph(kind: str) -> SafeString:
    return format_html(
        '<svg class="s" aria-hidden="true"><use href="#s-{}"/></svg>', kind
    )


@register.simple_tag
def status(
    kind: str, label: str, *, chip: bool = False, quiet: bool = False
) -> SafeString:
    """Return a state as colour, silhouette and word.

    With `chip` on a tinted ground; with `quiet` the word is for screen readers
    only, for dense lists that name the state elsewhere.
    """
    return _status(_known_status(kind), str(label), bool(chip), bool(quiet))


@lru_cache(maxsize=1024)
def _status(kind: str, label: str, chip: bool, quiet: bool) -> SafeString:
    classes = f"st chip {kind}" if chip else f"st {kind}"
    word = format_html('<span class="sr">{}</span>', label) if quiet else label
    return format_html('<span class="{}">{}{}</span>', classes, _glyph(kind), word)


def _known_status(kind: str) -> str:
    return kind if kind in STATUS_KINDS else "open"


@register.simple_tag
def marked(parts: Iterable[tuple[str, bool]]) -> SafeString:
    """Return pieces of a text joined, the ones that changed or were found in a mark."""
    pieces = (
        format_html("<mark>{}</mark>" if on else "{}", text) for text, on in parts
    )
    return mark_safe("".join(pieces))


@register.simple_tag
def agent(name: str, *, person: bool = False, large: bool = False) -> SafeString:
    """Return an agent's monogram and name: agents are square, people are round."""
    return _agent(str(name), bool(person), bool(large))


@lru_cache(maxsize=1024)
def _agent(name: str, person: bool, large: bool) -> SafeString:
    return format_html(
        '<span class="ag">{}{}</span>', _avatar(name, person, large), name
    )


@register.simple_tag
def avatar(name: str, *, person: bool = False, large: bool = False) -> SafeString:
    """Return only the monogram, for pages that have the name next to it."""
    return _avatar(str(name), bool(person), bool(large))


@register.simple_tag
def initials(person: User | str, *, shown: str = "", large: bool = False) -> SafeString:
    """Return the picture of a person: initials on the tint of their user name.

    `shown`: name that the initials are of, for a person given by the user name.
    """
    if isinstance(person, User):
        shown = person.shown_name
        person = person.username
    return _avatar(str(person), True, bool(large), str(shown))


@lru_cache(maxsize=1024)
def _avatar(name: str, person: bool, large: bool, shown: str = "") -> SafeString:
    classes = ["av", f"a{tint_of(name)}"]
    classes += ["lg"] * large + ["round"] * person
    letters = initials_of(shown or name) if person else monogram_of(name)
    return format_html(
        '<span class="{}" aria-hidden="true">{}</span>', " ".join(classes), letters
    )


def tint_of(name: str) -> int:
    """Return the tint number of a name, stable across machines."""
    return crc32(name.encode("utf-8", "replace")) % AGENT_TINTS + 1


def monogram_of(name: str) -> str:
    """Return the first two letters of a name, as in "Bu" for builder; one if CJK."""
    letters = [letter for letter in name if letter.isalnum()]
    is_wide = bool(letters) and letters[0] > "\u2e7f"
    return "".join(letters[: 1 if is_wide else 2]).capitalize() or "?"


def initials_of(name: str) -> str:
    """Return the initials of a person's first and last name."""
    words = [word for word in _BETWEEN_NAMES.split(name.partition("@")[0]) if word]
    if len(words) < 2:
        return monogram_of(name)
    return (words[0][0] + words[-1][0]).upper()


@register.simple_tag
def gauge(
    value: float | None,
    limit: float,
    label: str,
    *,
    kind: str = "pg",
    extra: str = "",
) -> SafeString:
    """Return a bar filled to ``value / limit``; empty if the value is unknown.

    `label` is the value in words; the page repeats it as text. The shares are SVG
    attributes, because the content security policy allows no style attribute.
    """
    share = 0.0 if value is None or limit <= 0 else min(max(value / limit, 0), 1)
    return _gauge(((round(share * 100, 1), kind),), str(label), str(extra))


@register.simple_tag
def gauge_of(
    parts: Iterable[tuple[float, str]], label: str, extra: str = ""
) -> SafeString:
    """Return a bar of several ``(percent, kind)`` parts, one after the other."""
    return _gauge(tuple(parts), str(label), str(extra))


@lru_cache(maxsize=1024)
def _gauge(parts: tuple[tuple[float, str], ...], label: str, extra: str) -> SafeString:
    classes = f"gauge {extra}" if extra else "gauge"
    return format_html(
        '<svg class="{}" viewBox="0 0 100 6" preserveAspectRatio="none" role="img"'
        ' aria-label="{}">{}</svg>',
        classes,
        label,
        mark_safe("".join(_rectangles(parts))),
    )


def _rectangles(parts: tuple[tuple[float, str], ...]) -> Iterable[str]:
    left = 0.0
    for width, kind in parts:
        shown = kind if kind in GAUGE_KINDS else "pg"
        yield f'<rect x="{left:g}" width="{width:g}" height="6" class="{shown}"/>'
        left += width


@register.simple_tag
def new_mark(label: str) -> SafeString:
    """Return the diamond that marks rows as new since the last visit."""
    return format_html('<span class="new" role="img" aria-label="{}"></span>', label)


@register.simple_tag
def joined(items: Iterable[object], separator: str = " · ") -> SafeString:
    """Join the non-empty `items`, escaped, with a separator."""
    shown = (_escaped(item) for item in items if item not in (None, ""))
    return mark_safe(_escaped(separator).join(shown))


def _escaped(value: object) -> SafeString:
    return conditional_escape(value if isinstance(value, str) else str(value))


@register.filter
def go_key(page: str) -> str:
    """Return the shortcut key after ``g`` for a page; empty without one."""
    return GO_KEYS.get(page, "")


@register.filter
def exact(text: object) -> SafeString:
    """Escape a text for a ``<pre>`` so that copying it gives exactly the same text.

    A browser drops a first line feed there, and normalises carriage returns.
    """
    return mark_safe("\n" + conditional_escape(str(text)).replace("\r", "&#13;"))


@register.simple_tag
def spoken(html: object) -> SafeString:
    """Return the `lang` attribute of Chinese text; empty for other text.

    A page has agents' text in many languages; screen readers and fonts need to know. A
    few Chinese words within other text do not make it Chinese.
    """
    text = _TAG.sub("", str(html)[:_LISTENED])
    han = len(_HAN.findall(text))
    is_chinese = han > _FEW and han * 4 > len(_LETTER.findall(text))
    return (
        mark_safe(' lang="zh"')
        if is_chinese and not _KANA.search(text)
        else SafeString("")
    )
