"""Presenter of the webhook's state."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import gettext, ngettext

from memoryhub.notices.services import WebhookState, webhook, webhook_state
from memoryhub.web.kit.clock import Clock


@dataclass(frozen=True, slots=True)
class WebhookPanel:
    """The webhook on the settings page."""

    host: str
    glyph: str
    state: str
    facts: tuple[str, ...]


def webhook_panel(clock: Clock) -> WebhookPanel | None:
    """Return the webhook's state; None if none is set up."""
    hook = webhook()
    if hook is None:
        return None
    told = webhook_state()
    return WebhookPanel(hook.host, *_state(told, clock), tuple(_facts(told)))


def _state(told: WebhookState, clock: Clock) -> tuple[str, str]:
    if told.tried_at is None:
        return "idle", gettext("Nothing posted yet")
    if told.is_failing:
        words = {"age": clock.age(told.tried_at), "error": told.error}
        return "failed", gettext("Failing, %(age)s: %(error)s") % words
    return "done", gettext("Last delivery %(age)s") % {"age": clock.age(told.tried_at)}


def _facts(told: WebhookState) -> list[str]:
    facts = []
    if told.waiting:
        text = ngettext("%(n)s to deliver", "%(n)s to deliver", told.waiting)
        facts.append(text % {"n": told.waiting})
    if told.given_up:
        text = ngettext("%(n)s given up", "%(n)s given up", told.given_up)
        facts.append(text % {"n": told.given_up})
    return facts
