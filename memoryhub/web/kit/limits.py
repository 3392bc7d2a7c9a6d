"""Limits of hosts in words."""

from __future__ import annotations

from django.utils.translation import gettext

from memoryhub.journal.hosts import Cut, HostLimit


def most_read(host: HostLimit) -> str:
    """Return how much of a file a host reads, such as "200 lines or 25 kB"."""
    if host.lines:
        words = {"lines": host.lines, "n": host.kilobytes}
        return gettext("%(lines)s lines or %(n)s kB") % words
    if host.characters:
        return gettext("%(n)s characters") % {"n": host.characters}
    return gettext("%(n)s tokens") % {"n": host.tokens}


def left_out(cut: Cut) -> str:
    """Return in a sentence which lines of a file no agent is given."""
    words = {
        "host": cut.host.host,
        "limit": most_read(cut.host),
        "first": cut.first,
        "last": cut.back - 1,
    }
    if cut.back:
        text = gettext(
            "%(host)s reads %(limit)s of this file: lines %(first)s to %(last)s reach"
            " no agent."
        )
    else:
        text = gettext(
            "%(host)s reads %(limit)s of this file: from line %(first)s on your agent"
            " reads nothing."
        )
    return text % words
