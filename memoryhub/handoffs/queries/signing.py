"""Sign-offs given by people, by the journal; a line in a file alone does not count."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import NamedTuple

from memoryhub.handoffs.log_verbs import SIGN, SIGNED, TAKE_BACK
from memoryhub.handoffs.models import Handoff, HandoffStep
from memoryhub.handoffs.rules.parties import signed_key
from memoryhub.journal.models import Operation


class Signature(NamedTuple):
    """A sign-off by a person: actor, time and hash of the signed text."""

    actor: str
    at: datetime
    text_key: str


#: Signatures by handoff id.
Signatures = Mapping[int, frozenset[Signature]]


def signatures_of(handoffs: Iterable[tuple[Handoff, int]]) -> Signatures:
    """Return the signatures of one workspace's handoffs, each up to a journal seq.

    A signature counts from the version that its operation wrote until it is taken back,
    in whatever file the line is then: the operation names the handoff.
    """
    known = {handoff.code: (handoff, until) for handoff, until in handoffs}
    if not known:
        return {}
    workspace = next(handoff.workspace_id for handoff, _ in known.values())
    about = Operation.objects.order_by().filter(
        workspace=workspace, payload__row__in=list(known)
    )
    # Any target: named, and without ordering, so that the index of sign-offs is used.
    signs = about.filter(verb=SIGN, target__gt="")
    signed = sorted(signs, key=lambda one: one.seq)
    undone = about.filter(verb=TAKE_BACK, seq__gt=signed[0].seq) if signed else ()
    found: dict[int, set[Signature]] = defaultdict(set)
    for operation in sorted([*signed, *undone], key=lambda one: one.seq):
        handoff, until = known[operation.payload["row"]]
        if operation.version_seq is None or operation.version_seq > until:
            continue
        given = found[handoff.id]
        change = given.update if operation.verb == SIGN else given.difference_update
        change(_signatures(operation))
    return {row: frozenset(given) for row, given in found.items()}


def is_confirmed(
    step: HandoffStep, handoff: Handoff, given: frozenset[Signature]
) -> bool:
    """Return whether a person gave the sign-off of a log line."""
    if step.happened_at is None:
        return False
    wanted = Signature(step.actor, step.happened_at, signed_key(handoff))
    return wanted in given


def _signatures(operation: Operation) -> Iterable[Signature]:
    for line in operation.payload["lines"]:
        if line.get(SIGNED):
            at = datetime.fromisoformat(line["at"])
            yield Signature(line["actor"][:200], at, line[SIGNED])
