"""Sign-offs given by people, by the journal; a line in a file alone does not count."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import NamedTuple

from memoryhub.handoffs.log_verbs import SIGN, SIGNED, TAKE_BACK
from memoryhub.handoffs.models import Handoff, HandoffStep
from memoryhub.handoffs.rules.signing import signed_key
from memoryhub.journal.models import Operation, SourceFile


class Signature(NamedTuple):
    """A sign-off by a person: actor, time and hash of the signed text."""

    actor: str
    at: datetime
    text_key: str


#: Signatures by handoff id.
Signatures = Mapping[int, frozenset[Signature]]


def signatures_of(
    handoffs: Iterable[Handoff], logs: Iterable[int], until: int
) -> Signatures:
    """Return the signatures of one workspace's handoffs up to `until`, a journal seq.

    `logs`: ids of the files with sign-off lines. A signature counts from the version
    that its operation wrote until it is taken back.
    """
    by_code = {handoff.code: handoff for handoff in handoffs}
    if not by_code:
        return {}
    workspace = next(iter(by_code.values())).workspace_id
    names = SourceFile.objects.filter(pk__in=list(logs)).values_list("path", "origin")
    # Cleared ordering, so that the index of sign-offs is used.
    about = Operation.objects.order_by().filter(
        workspace=workspace,
        target__in={name for both in names for name in both},
        version_seq__lte=until,
        payload__row__in=list(by_code),
    )
    signed = list(about.filter(verb=SIGN))
    undone = about.filter(verb=TAKE_BACK) if signed else ()
    found: dict[int, set[Signature]] = defaultdict(set)
    for operation in sorted([*signed, *undone], key=lambda one: one.seq):
        given = found[by_code[operation.payload["row"]].id]
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
