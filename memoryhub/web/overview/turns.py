"""Items that wait for a person: title, facts, actions, and for whom they wait."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy, ngettext

from memoryhub.formats.text.source import after_first_sentence, first_sentence
from memoryhub.handoffs.models import Handoff
from memoryhub.timeline.queries.turns import Turn
from memoryhub.values.identity import code_of
from memoryhub.web.handoffs.acts import ActLink
from memoryhub.web.kit.labels import listed, secrets_found
from memoryhub.web.kit.links import Addresses, with_query
from memoryhub.web.rights import opens

_TITLE = 160


def awaited(turn: Turn) -> str:
    """Return for whom a row waits by name, in words; "" for everybody."""
    if (turn.kind == "comment" and not turn.assigned) or not turn.waits_for:
        return ""
    return gettext("waiting for %(names)s") % {"names": ", ".join(turn.waits_for)}


@dataclass(frozen=True, slots=True)
class TurnRow:
    """An item that waits for the person: the turn, in words."""

    turn: Turn
    glyph: str
    state: str
    title: str
    url: str
    facts: tuple[str, ...]
    actions: tuple[ActLink, ...]

    @property
    def at(self) -> datetime | None:
        """Since when it waits; None for a handoff of which no file gives a time."""
        handoff = self.turn.handoff
        return None if handoff and handoff.is_untimed else self.turn.at


def turn_row(turn: Turn, addresses: Addresses) -> TurnRow:
    """Return the row of an item; its first action is the row's link.

    Actions that the person's role does not allow are left out.
    """
    glyph, state, words, actions = _SORTS[turn.kind]
    title, facts = words(turn)
    done = tuple(
        act
        for act in actions(turn, addresses)
        if opens(act.url) and not (turn.barred and act.key == "s")
    )
    first = done[0].url if done else addresses.base
    leads = turn.kind == "sign-off" or not done
    return TurnRow(
        turn=turn,
        glyph=glyph,
        state=gettext("Waits for others") if turn.barred else str(state),
        title=title if len(title) <= _TITLE else f"{title[:_TITLE]}…",
        url=handoff_url(turn.handoff, addresses) if leads and turn.handoff else first,
        facts=tuple(fact for fact in (awaited(turn), *facts) if fact),
        actions=done,
    )


def handoff_url(handoff: Handoff, addresses: Addresses) -> str:
    """Return the address of a handoff."""
    return addresses.handoff(code_of(handoff.id))


def handed(handoff: Handoff) -> str:
    """Return sender and recipient of a handoff."""
    return f"{handoff.sender or '?'} → {handoff.recipient or '?'}"


Words = tuple[str, tuple[str, ...]]


def _sign_off(turn: Turn) -> Words:
    handoff = turn.handoff
    assert handoff is not None
    title = gettext("Sign off: %(title)s") % {"title": handoff.title}
    return title, (handed(handoff), handoff.task_id, _rest(handoff.context))


def _question(turn: Turn) -> Words:
    handoff = turn.handoff
    assert handoff is not None
    words = {"agent": handoff.sender or "?", "title": handoff.title}
    title = gettext("%(agent)s asks you: %(title)s") % words
    return title, (handoff.task_id, _topic(handoff), _rest(handoff.context))


def _review(turn: Turn) -> Words:
    handoff = turn.handoff
    assert handoff is not None
    title = gettext("Done, to be accepted: %(title)s") % {"title": handoff.title}
    return title, (handed(handoff), handoff.task_id, first_sentence(handoff.result))


def _message(turn: Turn) -> Words:
    handoff = turn.handoff
    assert handoff is not None
    actor, text, number = turn.names
    n = int(number)
    words = {"agent": actor or "?", "text": " ".join(text.split()), "n": n}
    title = gettext("%(agent)s writes: %(text)s") % words
    more = ngettext("%(n)s message", "%(n)s messages", n) % words if n > 1 else ""
    return title, (handoff.title, handoff.task_id, more)


def _comment(turn: Turn) -> Words:
    author, text, place, number = turn.names
    words = {"name": author, "text": " ".join(text.split())}
    title = gettext("%(name)s asks you in a comment: %(text)s") % words
    return title, (place, gettext("comment %(number)s") % {"number": number})


def _failed(turn: Turn) -> Words:
    handoff = turn.handoff
    assert handoff is not None
    why = first_sentence(handoff.why)
    words = {"title": handoff.title, "why": why}
    if not why:
        title = gettext("%(title)s failed") % words
    else:
        title = gettext("%(title)s failed: %(why)s") % words
    return title, (handed(handoff), handoff.task_id, _topic(handoff))


def _blocked(turn: Turn) -> Words:
    if turn.blocked is None:
        return _blocked_handoff(turn)
    snapshot, reason = turn.blocked, turn.blocked.blocked_by
    words = {"topic": snapshot.topic.name if snapshot.topic else "", "why": reason}
    if not reason:
        title = gettext("%(topic)s is blocked") % words
    else:
        title = gettext("%(topic)s is blocked: %(why)s") % words
    words = {"id": snapshot.snapshot_id or snapshot.code}
    agent = snapshot.agent.name if snapshot.agent else ""
    facts = [agent, gettext("declared in snapshot %(id)s") % words]
    if turn.handoff:
        facts.append(gettext("blocks handoff %(id)s") % {"id": turn.handoff.task_id})
    return title, tuple(facts)


def _blocked_handoff(turn: Turn) -> Words:
    handoff = turn.handoff
    assert handoff is not None
    title = gettext("%(title)s is blocked") % {"title": handoff.title}
    facts = (handed(handoff), handoff.task_id, first_sentence(handoff.why))
    return title, facts


def _deadlock(turn: Turn) -> Words:
    circle = " → ".join((*turn.names, turn.names[0]))
    title = gettext("Deadlock: %(names)s") % {"names": circle}
    tasks = " → ".join((*turn.tasks, *turn.tasks[:1]))
    return title, (gettext("Each waits for the next."), tasks)


def _silent(turn: Turn) -> Words:
    title = gettext("%(agent)s does not respond: %(title)s")
    return _of_alarm(turn, title, gettext("no response since its claim expired"))


def _overdue(turn: Turn) -> Words:
    return _of_alarm(turn, gettext("Overdue: %(title)s"))


def _unknown(turn: Turn) -> Words:
    title = gettext("Nobody is called %(agent)s: %(title)s")
    return _of_alarm(turn, title, gettext("no file declares this name"))


def _lane(turn: Turn) -> Words:
    n = int(turn.names[1])
    fact = ngettext("%(n)s write waits behind it", "%(n)s writes wait behind it", n)
    title = gettext("The write lane stands: %(agent)s has not taken %(title)s")
    return _of_alarm(turn, title, fact % {"n": n})


def _overlap(turn: Turn) -> Words:
    title = gettext("%(n)s writes overlap: %(ids)s")
    words = {"n": len(turn.names), "ids": listed(turn.names[:5])}
    return title % words, (gettext("They can touch the same files."),)


def _claims(turn: Turn) -> Words:
    one, path, other, also = turn.names
    title = gettext("%(one)s and %(other)s hold the same files")
    if one.casefold() == other.casefold():
        title = gettext("Two sessions of %(one)s hold the same files")
    return title % {"one": one, "other": other}, tuple(dict.fromkeys((path, also)))


def _stuck(turn: Turn) -> Words:
    fact = gettext("it comes after %(id)s, which is %(state)s")
    words = {"id": turn.names[0], "state": turn.names[1]}
    return _of_alarm(turn, gettext("Cannot begin: %(title)s"), fact % words)


def _of_alarm(turn: Turn, title: str, *facts: str) -> Words:
    handoff = turn.handoff
    assert handoff is not None
    words = {"title": handoff.title, "agent": "".join(turn.names[:1])}
    return title % words, (handed(handoff), handoff.task_id, *facts)


def _breaker(turn: Turn) -> Words:
    breaker = turn.breaker
    assert breaker is not None
    title = gettext("The circuit breaker is open")
    if breaker.agent:
        words = {"agent": breaker.agent}
        title = gettext("The circuit breaker of %(agent)s is open") % words
    failures = ngettext(
        "%(n)s failure in a row", "%(n)s failures in a row", breaker.failures
    ) % {"n": breaker.failures}
    return title, (failures, breaker.reason)


def _conflict(turn: Turn) -> Words:
    title = gettext("%(path)s changed here and on disk") % {"path": turn.names[0]}
    return title, (gettext("Edits made here wait for a decision."),)


def _unreadable(turn: Turn) -> Words:
    n = len(turn.names)
    title = ngettext(
        "%(n)s file could not be read", "%(n)s files could not be read", n
    ) % {"n": n}
    return title, (listed(turn.names[:3]),)


def _secrets(turn: Turn) -> Words:
    return secrets_found(turn.number, len(turn.names)), (listed(turn.names[:3]),)


def _staged(turn: Turn) -> Words:
    words = {"n": turn.number}
    title = ngettext(
        "Edits of %(n)s file wait to be written",
        "Edits of %(n)s files wait to be written",
        turn.number,
    )
    return title % words, (listed(turn.names[:3]),)


def _gone(turn: Turn) -> Words:
    if n := turn.number:
        title = ngettext("%(n)s file was deleted", "%(n)s files were deleted", n)
        names = listed(turn.names[:3])
        return title % {"n": n}, (names, gettext("One button on Health restores all."))
    title = gettext("Most files disappeared at once")
    text = gettext("They are not treated as deleted, and nothing is written for now.")
    return title, (text, *filter(None, turn.names))


def _shrank(turn: Turn) -> Words:
    loss = turn.loss
    assert loss is not None
    title = (
        ngettext(
            "%(path)s was deleted, with %(n)s line",
            "%(path)s was deleted, with %(n)s lines",
            loss.lines,
        )
        if loss.is_gone
        else ngettext(
            "%(path)s lost %(n)s line", "%(path)s lost %(n)s lines", loss.lines
        )
    ) % {"path": loss.path, "n": loss.lines}
    return title, (gettext("Revision %(seq)s has them.") % {"seq": loss.seq},)


def _memory(turn: Turn) -> Words:
    n = turn.number
    title = ngettext(
        "%(n)s change of memory to review", "%(n)s changes of memory to review", n
    )
    return title % {"n": n}, (
        gettext("Changes of long-lived files, on disk or by agents."),
    )


def _topic(handoff: Handoff) -> str:
    return handoff.topic.name if handoff.topic else ""


def _rest(text: str) -> str:
    """Return the first line after a text's first sentence."""
    return after_first_sentence(text).partition("\n")[0].strip()


def _of_handoff(turn: Turn, addresses: Addresses) -> tuple[ActLink, ...]:
    assert turn.handoff is not None
    url = handoff_url(turn.handoff, addresses)
    if turn.kind == "sign-off":
        return (
            ActLink(gettext("Sign off"), f"{url}sign-off/", main=True, key="s"),
            ActLink(gettext("Send back"), f"{url}send-back/", key="b"),
        )
    return (ActLink(gettext("Open"), url, main=turn.kind != "failed"),)


def _of_review(turn: Turn, addresses: Addresses) -> tuple[ActLink, ...]:
    assert turn.handoff is not None
    url = handoff_url(turn.handoff, addresses)
    return (
        ActLink(gettext("Review"), f"{url}#evidence", main=True),
        ActLink(gettext("Accept"), f"{url}accept/"),
    )


def _of_message(turn: Turn, addresses: Addresses) -> tuple[ActLink, ...]:
    assert turn.handoff is not None
    url = handoff_url(turn.handoff, addresses)
    return (
        ActLink(gettext("Answer"), f"{url}message/", main=True),
        ActLink(gettext("Inbox"), addresses.inbox),
    )


def _of_silent(turn: Turn, addresses: Addresses) -> tuple[ActLink, ...]:
    assert turn.handoff is not None
    url = handoff_url(turn.handoff, addresses)
    return (
        ActLink(gettext("Put back"), f"{url}put-back/", main=True),
        ActLink(gettext("Open"), url),
    )


def _of_again(turn: Turn, addresses: Addresses) -> tuple[ActLink, ...]:
    assert turn.handoff is not None
    url = handoff_url(turn.handoff, addresses)
    return (
        ActLink(gettext("Hand off again"), f"{url}again/", main=True),
        ActLink(gettext("Open"), url),
    )


def _of_blocked(turn: Turn, addresses: Addresses) -> tuple[ActLink, ...]:
    if turn.blocked is None:
        return _of_handoff(turn, addresses)
    opened = ActLink(gettext("Open"), addresses.snapshot(turn.blocked.code))
    if turn.blocked.topic is None:
        return (opened,)
    topic = addresses.topic(turn.blocked.topic.slug)
    return opened, ActLink(gettext("Topic"), topic)


def _of_waits(turn: Turn, addresses: Addresses) -> tuple[ActLink, ...]:
    return (ActLink(gettext("Open"), f"{addresses.handoffs}#graph"),)


def _of_claims(turn: Turn, addresses: Addresses) -> tuple[ActLink, ...]:
    return (ActLink(gettext("Open"), f"{addresses.handoffs}#held"),)


def _of_comment(turn: Turn, addresses: Addresses) -> tuple[ActLink, ...]:
    return (
        ActLink(gettext("Answer"), addresses.thread(int(turn.names[3])), main=True),
    )


def _of_health(turn: Turn, addresses: Addresses) -> tuple[ActLink, ...]:
    part = "breaker" if turn.kind == "breaker" else "problems"
    return (ActLink(gettext("Open"), f"{addresses.health}#{part}"),)


def _of_export(turn: Turn, addresses: Addresses) -> tuple[ActLink, ...]:
    url = with_query(addresses.export, file=turn.names[0])
    return (ActLink(gettext("Resolve"), url),)


def _of_staged(turn: Turn, addresses: Addresses) -> tuple[ActLink, ...]:
    return (ActLink(gettext("Review"), addresses.export, main=True),)


def _of_loss(turn: Turn, addresses: Addresses) -> tuple[ActLink, ...]:
    assert turn.loss is not None
    path, seq, card = turn.loss.path, turn.loss.seq, turn.loss.card
    link = (gettext("See the lost lines"), addresses.file(path, view="history", vs=seq))
    if turn.loss.is_gone:
        link = (gettext("Restore…"), addresses.file(path, rev=seq))
    review = (ActLink(gettext("Review"), addresses.review(card)),) if card else ()
    return (*review, ActLink(*link))


def _of_secrets(turn: Turn, addresses: Addresses) -> tuple[ActLink, ...]:
    return (
        ActLink(gettext("Open"), f"{addresses.health}#problems"),
        ActLink(gettext("Forget…"), addresses.forget_secrets()),
    )


def _of_reviews(turn: Turn, addresses: Addresses) -> tuple[ActLink, ...]:
    return (ActLink(gettext("Review"), addresses.reviews),)


Acts = Callable[[Turn, Addresses], tuple[ActLink, ...]]
Sort = tuple[str, Promise, Callable[[Turn], Words], Acts]
_SORTS: dict[str, Sort] = {
    "sign-off": ("turn", gettext_lazy("Needs you"), _sign_off, _of_handoff),
    "question": ("turn", gettext_lazy("Needs you"), _question, _of_handoff),
    "message": ("turn", gettext_lazy("Message"), _message, _of_message),
    "comment": ("turn", gettext_lazy("Waits for you"), _comment, _of_comment),
    "review": ("turn", gettext_lazy("To be accepted"), _review, _of_review),
    "deadlock": ("failed", gettext_lazy("Deadlock"), _deadlock, _of_waits),
    "breaker": ("failed", gettext_lazy("Breaker open"), _breaker, _of_health),
    "overlap": ("failed", gettext_lazy("Overlap"), _overlap, _of_handoff),
    "claims": ("failed", gettext_lazy("Overlap"), _claims, _of_claims),
    "silent": ("failed", gettext_lazy("Assignee not responding"), _silent, _of_silent),
    "stuck": ("blocked", gettext_lazy("Cannot begin"), _stuck, _of_handoff),
    "overdue": ("blocked", gettext_lazy("Overdue"), _overdue, _of_handoff),
    "unknown-recipient": (
        "blocked",
        gettext_lazy("Unknown recipient"),
        _unknown,
        _of_again,
    ),
    "lane": ("blocked", gettext_lazy("Lane stands"), _lane, _of_again),
    "blocked": ("blocked", gettext_lazy("Blocked"), _blocked, _of_blocked),
    "failed": ("failed", gettext_lazy("Failed"), _failed, _of_handoff),
    "conflict": ("conflict", gettext_lazy("Conflict"), _conflict, _of_export),
    "staged": ("turn", gettext_lazy("To be written"), _staged, _of_staged),
    "unreadable": ("conflict", gettext_lazy("Not read"), _unreadable, _of_health),
    "gone": ("conflict", gettext_lazy("Not found"), _gone, _of_health),
    "shrank": ("conflict", gettext_lazy("Lines lost"), _shrank, _of_loss),
    "secrets": ("conflict", gettext_lazy("Secrets"), _secrets, _of_secrets),
    "memory": ("turn", gettext_lazy("To review"), _memory, _of_reviews),
}
