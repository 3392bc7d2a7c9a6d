"""Presenter of the webhook's state."""

from __future__ import annotations

from django.utils.translation import gettext, ngettext

from memoryhub.notices.services import WebhookState, webhook, webhook_state
from memoryhub.web.kit.clock import Clock


def webhook_panel(clock: Clock) -> dict[str, object] | None:
    """Return the webhook's state; None if none is set up."""
    hook = webhook()
    if hook is None:
        return None
    state = webhook_state()
    glyph, words = _state(state, clock)
    return {"host": hook.host, "glyph": glyph, "state": words, "facts": _facts(state)}


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
