"""Acts of a person on a handoff: labels, and the rules that allow them."""

from __future__ import annotations

from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from memoryhub.dialects.handoff import SAID
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.rules.acting import (
    ACCEPTED,
    FAILED,
    REOPENED,
    REVISED,
    SENT_BACK,
    WITH_REASON,
    Actor,
    Lane,
    NotAllowed,
    check,
)
from memoryhub.people.rights import Right

#: Names of the acts with forms of their own; the others only take a reason.
REPORT, AGAIN, REVISE = "report", "again", "revise"


class Act(NamedTuple):
    """An act on a handoff: its name in addresses and its verb in the log.

    `done` is the confirmation after it; `key` is its keyboard shortcut.
    """

    name: str
    verb: str
    label: Promise
    done: Promise
    hint: Promise
    key: str = ""
    #: Right in the workspace that a person needs.
    right: Right = Right.COORDINATE

    @property
    def needs_reason(self) -> bool:
        return self.verb in WITH_REASON and self.name != REPORT


class ActLink(NamedTuple):
    """A link to the form of an act; one with a shortcut opens in a dialog."""

    label: str
    url: str
    key: str = ""
    main: bool = False


ACTS = {
    act.name: act
    for act in (
        Act(
            "sign-off",
            "signed off",
            gettext_lazy("Sign off"),
            gettext_lazy("Signed off"),
            gettext_lazy("The decision may be carried out. Agents read it in the log."),
            "s",
            Right.SIGN,
        ),
        Act(
            "send-back",
            SENT_BACK,
            gettext_lazy("Send back"),
            gettext_lazy("Sent back"),
            gettext_lazy(
                "The sender has to change the task. Describe what is missing."
            ),
            "b",
        ),
        Act(
            "take",
            "taken",
            gettext_lazy("Take"),
            gettext_lazy("Taken"),
            gettext_lazy("The work starts, assigned to you."),
            right=Right.HANDOFFS,
        ),
        Act(
            REPORT,
            FAILED,
            gettext_lazy("Report a result"),
            gettext_lazy("Result written"),
            gettext_lazy("The outcome, as a result block in the file."),
            right=Right.HANDOFFS,
        ),
        Act(
            REVISE,
            REVISED,
            gettext_lazy("Change the task"),
            gettext_lazy("Changed and sent again"),
            gettext_lazy("Sends the changed task. The file's history has both texts."),
        ),
        Act(
            "accept",
            ACCEPTED,
            gettext_lazy("Accept"),
            gettext_lazy("Accepted"),
            gettext_lazy("The result counts. What comes after it can begin."),
            "s",
        ),
        Act(
            "reopen",
            REOPENED,
            gettext_lazy("Open again"),
            gettext_lazy("Opened again"),
            gettext_lazy("What came of it is not enough. Describe what is missing."),
        ),
        Act(
            "put-back",
            "put back",
            gettext_lazy("Put back"),
            gettext_lazy("Put back"),
            gettext_lazy("Open again for the next taker."),
            right=Right.HANDOFFS,
        ),
        Act(
            "block",
            "blocked",
            gettext_lazy("Mark as blocked"),
            gettext_lazy("Marked as blocked"),
            gettext_lazy(
                "It waits for something. If it is a write, the next one can start."
            ),
            right=Right.HANDOFFS,
        ),
        Act(
            "override",
            "overridden",
            gettext_lazy("Let it go first"),
            gettext_lazy("It can be taken out of turn"),
            gettext_lazy("It can be taken before writes that were sent earlier."),
        ),
        Act(
            AGAIN,
            "handed off again",
            gettext_lazy("Hand off again"),
            gettext_lazy("Handed off again"),
            gettext_lazy(
                "Sends the same work again; this handoff links to the new one."
            ),
        ),
        Act(
            "fail",
            FAILED,
            gettext_lazy("Mark as failed"),
            gettext_lazy("Marked as failed"),
            gettext_lazy("Ends it without a result."),
        ),
        Act(
            "withdraw",
            "withdrawn",
            gettext_lazy("Withdraw"),
            gettext_lazy("Withdrawn"),
            gettext_lazy("It is not needed any more."),
        ),
        Act(
            "message",
            SAID,
            gettext_lazy("Write a message"),
            gettext_lazy("Message written"),
            gettext_lazy(
                "A line in the log, which its agents read. @name calls somebody else."
            ),
            right=Right.HANDOFFS,
        ),
    )
}


def acts_for(
    handoff: Handoff, actor: Actor, lane: Lane, row_id: int
) -> tuple[Act, ...]:
    """Return the acts that the rules allow an actor on a handoff."""
    return tuple(
        act
        for act in ACTS.values()
        if why_not(act.verb, handoff, actor, lane, row_id) is None
    )


def why_not(
    verb: str, handoff: Handoff, actor: Actor, lane: Lane, row_id: int
) -> NotAllowed | None:
    """Return the rule that forbids a verb; None if it is allowed."""
    try:
        check(verb, handoff, actor, lane, row_id)
    except NotAllowed as against:
        return against
    return None
