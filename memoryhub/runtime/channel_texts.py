"""Texts of messages to channels: plain, short, with links that open the hub's pages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from django.conf import settings
from django.utils.translation import gettext, ngettext, override

from memoryhub.notices.channels import zone_of
from memoryhub.notices.deliveries import Batch
from memoryhub.notices.sending import Message
from memoryhub.timeline.queries.turns import ANSWERS
from memoryhub.web.kit.clock import Clock

#: Most characters of a message: many services cut longer ones.
_LONGEST = 3_000
_TITLE = 120
#: What would call everybody in a chat, or hide an address behind other words: links of
#: Markdown, of HTML, and of Slack, which other services read too.
_MARKUP = re.compile(r"(?<=[@!])(?=\w)|(?<=\])(?=[\[(])|(?<=<)(?=\S)")


def message_of(batch: Batch, now: datetime) -> Message:
    """Return the message of a batch, in the language and zone of its person."""
    person = batch.channel.user
    with override(person.language or settings.LANGUAGE_CODE):
        zone = zone_of(person)
        clock = Clock(zone, now.astimezone(zone))
        rows = [
            (row.workspace.slug, row.body or row.notice.body)
            for row in batch.deliveries
        ]
        body = "\n\n".join(_paragraphs(batch, rows, clock))
        (_, link), *_ = _links(rows[0][1], batch.channel.base)
        several = len(rows) > 1
        return Message(_title(rows), body, batch.channel.base if several else link)


Row = tuple[str, Mapping[str, Any]]


def _title(rows: list[Row]) -> str:
    if len(rows) == 1:
        slug, body = rows[0]
        return f"{slug} · {_heading(body)}"[:_TITLE]
    answers = sum(body["kind"] in ANSWERS for _, body in rows)
    stuck = len(rows) - answers
    needs = ngettext("%(n)s needs your answer", "%(n)s need your answer", answers)
    looks = ngettext("%(n)s looks stuck", "%(n)s look stuck", stuck)
    counted = ((answers, needs), (stuck, looks))
    return "MemoryHub: " + ", ".join(words % {"n": n} for n, words in counted if n)


def _paragraphs(batch: Batch, rows: list[Row], clock: Clock) -> Iterator[str]:
    if batch.again:
        yield gettext(
            "This message may have reached you before: the hub was interrupted."
        )
    left = _LONGEST
    for number, (slug, body) in enumerate(rows):
        text = _item(slug, body, batch.channel.base, clock)
        left -= len(text)
        if left < 0 and number:
            more = len(rows) - number
            words = {"n": more, "url": batch.channel.base}
            text = ngettext("and %(n)s more: %(url)s", "and %(n)s more: %(url)s", more)
            yield text % words
            break
        yield text
    yield gettext("The links open MemoryHub. Nothing happens before you confirm there.")


def _item(slug: str, body: Mapping[str, Any], base: str, clock: Clock) -> str:
    """Return the text of a notice: subject, owner, age and possible actions."""
    about = " · ".join(_plain(part) for part in (slug, *body.get("facts", ())) if part)
    lines = [_heading(body), about[:600]]
    if body.get("since"):
        at = datetime.fromisoformat(body["since"])
        words = {"time": clock.moment(at), "age": clock.age(at)}
        lines.append(gettext("since %(time)s (%(age)s)") % words)
    lines += [f"{label}: {url}" for label, url in _links(body, base)]
    return "\n".join(lines)


def _links(body: Mapping[str, Any], base: str) -> list[tuple[str, str]]:
    """Return label and address of each possible action, at least of the page."""
    actions = body.get("actions") or [{"label": gettext("Open"), "path": body["path"]}]
    return [(one["label"], f"{base.rstrip('/')}{one['path']}") for one in actions]


def _heading(body: Mapping[str, Any]) -> str:
    """Return the title after its state, unless it begins with that word itself."""
    state, title = body.get("state") or "", body["title"]
    repeats = title.casefold().startswith(state.casefold())
    return _plain(title if repeats else f"{state}: {title}")


def _plain(text: str) -> str:
    """Return text on one line that calls nobody in a chat and hides no address."""
    return _MARKUP.sub("\u200b", " ".join(text.split()))
