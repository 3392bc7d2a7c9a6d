"""Limits of hosts in words."""

from __future__ import annotations

from typing import Literal, NamedTuple

from django.utils.translation import gettext, ngettext

from memoryhub.journal.hosts import Cut, HostLimit
from memoryhub.journal.ledger import Budget


class Usage(NamedTuple):
    """How much of a host's limit a file takes, in the unit of the limit."""

    used: int
    limit: int
    unit: Literal["tokens", "characters", "lines", "kilobytes"]
    host: HostLimit

    @property
    def share(self) -> int:
        """The used part in percent."""
        return round(self.used * 100 / self.limit)

    @property
    def text(self) -> str:
        """The whole in words, such as "12 of 200 lines"."""
        words = {"n": self.used, "limit": self.limit}
        if not self.host.host:
            return self._alone % words
        texts = {
            "tokens": gettext("%(n)s of %(limit)s tokens"),
            "characters": gettext("%(n)s of %(limit)s characters"),
            "lines": gettext("%(n)s of %(limit)s lines"),
            "kilobytes": gettext("%(n)s of %(limit)s kB"),
        }
        return texts[self.unit] % words

    @property
    def _alone(self) -> str:
        """The used part, where no host is known that limits it."""
        if self.unit == "lines":
            return ngettext("%(n)s line", "%(n)s lines", self.used)
        return gettext("%(n)s kB")

    @property
    def left(self) -> str:
        """The remainder in words; the consequence if it is zero."""
        if not self.host.host:
            words = {"limit": most_read(self.host)}
            return (
                gettext(
                    "no sign of a host that cuts it; Claude Code would read %(limit)s"
                )
                % words
            )
        if self.used > self.limit:
            return gettext("full: %(host)s adds no more") % {"host": self.host.host}
        texts = {
            "tokens": gettext("%(n)s tokens left"),
            "characters": gettext("%(n)s characters left"),
            "lines": gettext("%(n)s lines left"),
            "kilobytes": gettext("%(n)s kB left"),
        }
        return texts[self.unit] % {"n": self.limit - self.used}


def usage_of(budget: Budget) -> Usage:
    """Return how much of its host's limit a file takes, in the tighter unit."""
    host = budget.host
    if host.characters:
        return Usage(budget.characters, host.characters, "characters", host)
    if not host.bytes:
        return Usage(budget.tokens, host.tokens, "tokens", host)
    if budget.all_lines * host.bytes >= budget.bytes * host.lines:
        return Usage(budget.all_lines, host.lines, "lines", host)
    return Usage(-(-budget.bytes // 1_000), host.kilobytes, "kilobytes", host)


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
