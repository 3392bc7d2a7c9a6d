"""Problems and refusals of handoffs in words."""

from __future__ import annotations

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

HANDOFF_PROBLEMS: dict[str, Promise] = {
    "handoff-line-undated": gettext_lazy(
        "a line of the handoff's log has no time: “{text}”"
    ),
    "handoff-block-broken": gettext_lazy("the block of {task_id} is broken: {problem}"),
    "handoff-block-unread": gettext_lazy(
        "the task {task_id} is not read: it stands in a fence, a list or a sentence"
    ),
    "handoff-line-unknown": gettext_lazy(
        "a line of the handoff's log was not understood: “{text}”"
    ),
    "handoff-due-unknown": gettext_lazy("a handoff has an invalid due time: “{text}”"),
    "handoff-not-yours": gettext_lazy("only {who} or a coordinator can do this"),
    "handoff-needs-coordinator": gettext_lazy("only a coordinator can do this"),
    "sign-off-no-place": gettext_lazy(
        "no line of a file can take this sign-off, or one states it already"
    ),
    "sign-off-needs-person": gettext_lazy(
        "only a person signs off, signed in to the hub's pages"
    ),
    "sign-off-not-yours": gettext_lazy("only {who} may sign decisions off here"),
    "review-needs-person": gettext_lazy(
        "only a person accepts it, signed in to the hub's pages"
    ),
    "handoff-not-signed": gettext_lazy(
        "the decision {task_id} is not signed off: it cannot begin"
    ),
    "handoff-lane-busy": gettext_lazy(
        "{actor} is writing for {task_id}: one write runs at a time"
    ),
    "handoff-lane-order": gettext_lazy(
        "{first} comes first: writes run in the order they were sent"
    ),
    "handoff-after": gettext_lazy("{task_id} comes after {first}, which is {state}"),
    "handoff-after-unknown": gettext_lazy("there is no handoff {task_id} to wait for"),
    "handoff-priority": gettext_lazy(
        "“{priority}” is no priority: high, normal or low"
    ),
    "handoff-state": gettext_lazy(
        "{task_id} is {state} by now: “{verb}” is not possible"
    ),
    "handoff-over": gettext_lazy("{task_id} has ended already: {state}"),
    "handoff-elsewhere": gettext_lazy(
        "“{to}” is in another workspace, which this token cannot reach"
    ),
    "handoff-unknown": gettext_lazy("there is no handoff {task_id}"),
    "handoff-signed": gettext_lazy("{actor} has signed off {task_id} already"),
    "handoff-withdrawn": gettext_lazy("{task_id} was withdrawn by {actor}"),
    "handoff-not-taken": gettext_lazy(
        "{task_id} is {state}: take it first, then it can be “{verb}”"
    ),
    "handoff-type-other": gettext_lazy("{task_id} is {type}: it cannot be “{verb}”"),
    "handoff-again-open": gettext_lazy(
        "the work of {task_id} went on as {other}, which is not finished"
    ),
    "handoff-not-own": gettext_lazy(
        "the task of {task_id} is in {path}: change it there, then send it again"
    ),
    "handoff-reason-missing": gettext_lazy("enter a reason in one line"),
    "handoff-id-taken": gettext_lazy("there is a handoff {task_id} already"),
    "handoff-id-invalid": gettext_lazy(
        "“{task_id}” cannot be the id of a handoff: at most 80 characters that a file's"
        " name can have on every system, without commas"
    ),
    "handoff-type": gettext_lazy("“{type}” is not a type of handoff"),
    "handoff-status": gettext_lazy(
        "“{status}” is not a result: done, failed or blocked"
    ),
    "handoff-result-to": gettext_lazy(
        "“{path}” cannot get the result: name an inbox of a Claude Code team, or, for"
        " an agent of another workspace, a memory file"
    ),
    "handoff-due": gettext_lazy("“{due}” cannot be written as a time"),
    "handoff-other-id": gettext_lazy("the result is of another handoff, {task_id}"),
    "handoff-part-missing": gettext_lazy("the handoff has no “{part}”"),
    "handoff-part-long": gettext_lazy("“{part}” is longer than {most} characters"),
    "handoff-not-plain": gettext_lazy("the text contains NUL characters"),
    "handoff-not-kept": gettext_lazy(
        "cannot be written: a name is a template placeholder, or a block is not closed"
    ),
    "handoff-ambiguous": gettext_lazy(
        "several handoffs are called {task_id}: choose by code, {choices}"
    ),
}
