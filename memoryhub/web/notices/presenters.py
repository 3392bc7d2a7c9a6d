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
    state = webhook_state()
    return WebhookPanel(hook.host, *_state(state, clock), tuple(_facts(state)))


def _state(state: WebhookState, clock: Clock) -> tuple[str, str]:
    if state.tried_at is None:
        return "idle", gettext("Nothing posted yet")
    if state.is_failing:
        words = {"age": clock.age(state.tried_at), "error": state.error}
        return "failed", gettext("Failing, %(age)s: %(error)s") % words
    return "done", gettext("Last delivery %(age)s") % {"age": clock.age(state.tried_at)}


def _facts(state: WebhookState) -> list[str]:
    facts = []
    if state.waiting:
        text = ngettext("%(n)s to deliver", "%(n)s to deliver", state.waiting)
        facts.append(text % {"n": state.waiting})
    if state.given_up:
        text = ngettext("%(n)s given up", "%(n)s given up", state.given_up)
        facts.append(text % {"n": state.given_up})
    return facts
