"""Presenter of channels: state, rules and refusals in words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.translation import gettext, ngettext

from memoryhub.notices.channels import ChannelState, rules_of
from memoryhub.notices.sending import BadAddress
from memoryhub.timeline.queries.turns import KINDS
from memoryhub.web.kit.clock import Clock


@dataclass(frozen=True, slots=True)
class ShownChannel:
    """A channel for display: `detail` of its state; `facts` on its rules."""

    number: int
    name: str
    service: str
    glyph: str
    state: str
    detail: str
    facts: tuple[str, ...]


def shown_channel(found: ChannelState, clock: Clock) -> ShownChannel:
    """Return a channel in words."""
    glyph, state, detail = _state(found, clock)
    return ShownChannel(
        found.channel.pk,
        found.channel.name,
        found.channel.service,
        glyph,
        state,
        detail,
        (*_rules(found), *left_of(found)),
    )


def left_of(found: ChannelState) -> Iterator[str]:
    """Yield undelivered notices in words."""
    if found.waiting:
        text = ngettext("%(n)s to deliver", "%(n)s to deliver", found.waiting)
        yield text % {"n": found.waiting}
    if found.given_up:
        text = ngettext("%(n)s given up", "%(n)s given up", found.given_up)
        yield text % {"n": found.given_up}


def refusal_words(error: BadAddress) -> str:
    """Return why an address cannot be used."""
    words = {
        "unknown-service": gettext("Apprise has no service of this name here."),
        "local": gettext("This service acts on the hub's own computer."),
        "several": gettext("A channel has one recipient: add one for each."),
        "not-allowed": gettext("MEMORYHUB_CHANNELS does not allow this service."),
        "invalid": gettext("Apprise cannot use this address."),
    }
    text = words.get(error.code) or gettext("The address could not be checked.")
    return f"{text} {error.reason}" if error.code in ("invalid", "failed") else text


def _state(found: ChannelState, clock: Clock) -> tuple[str, str, str]:
    """Return the glyph and the word of a state, and the last event."""
    channel = found.channel
    if channel.error and channel.tried_at:
        words = {"age": clock.age(channel.tried_at), "error": channel.error}
        detail = gettext("Failing, %(age)s: %(error)s") % words
        return "failed", gettext("Failing"), detail
    detail = gettext("Nothing sent yet")
    if channel.delivered_at:
        age = {"age": clock.age(channel.delivered_at)}
        detail = gettext("Last message %(age)s") % age
    if channel.paused:
        return "stale", gettext("Paused"), f"{gettext('Paused')} · {detail}"
    return ("done" if channel.delivered_at else "idle"), gettext("In use"), detail


def _rules(found: ChannelState) -> Iterator[str]:
    rules = rules_of(found.channel)
    if rules.digest is None:
        yield gettext("at once")
    else:
        yield gettext("once a day at %(hour)s") % {"hour": _hour(rules.digest)}
    has_quiet = rules.digest is None and rules.quiet_from != rules.quiet_to
    if has_quiet and rules.quiet_from is not None and rules.quiet_to is not None:
        hours = {"first": _hour(rules.quiet_from), "end": _hour(rules.quiet_to)}
        yield gettext("quiet from %(first)s to %(end)s") % hours
    if rules.urgent:
        yield gettext("sign-offs and deadlocks at any hour")
    if rules.kinds:
        words = {"n": len(set(rules.kinds) & set(KINDS)), "total": len(KINDS)}
        yield gettext("%(n)s of %(total)s kinds") % words
    if number := len(rules.workspaces):
        text = ngettext("%(n)s workspace", "%(n)s workspaces", number)
        yield text % {"n": number}


def _hour(hour: int) -> str:
    return f"{hour:02}:00"
