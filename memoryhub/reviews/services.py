"""Decisions on cards: accept, edit, revert, reopen. One person's at a time counts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from django.db import transaction
from django.utils import timezone

from memoryhub.disk.files import FileError
from memoryhub.formats.base import FormatError
from memoryhub.formats.text.merging import Choice
from memoryhub.journal.blobs import store_in
from memoryhub.journal.exporters import text_key
from memoryhub.journal.models import Operation, Workspace
from memoryhub.journal.packing import pack
from memoryhub.reviews.models import ReviewCard
from memoryhub.reviews.queries import people_needed
from memoryhub.reviews.reverting import Revert, ReviewRefused, path_now, revert_of
from memoryhub.reviews.rules import renew_pages
from memoryhub.sync.edit.editing import apply_edit, undo
from memoryhub.sync.edit.edits import Conflict, Edit
from memoryhub.sync.edit.writing import file_lock, found_now

_State = ReviewCard.State
#: Longest reason of a decision.
REASON = 500
#: Fields of a card on which nobody has decided yet.
_UNDECIDED: dict[str, Any] = {
    "first_by": "", "first_accepted_at": None, "handled_by": "", "handled_at": None,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Decision:
    """Who decides on a card, and why.

    `person`: user name of the owner of a token by which `actor` decides: two tokens of
    one person are one person. `seen` is the last seq of the card that they saw: later
    changes are not decided on. None is any, for callers that show nothing. `batch` is
    in the keys of its operations: what one click reverted is undone together.
    """

    actor: str
    reason: str = ""
    seen: int | None = None
    at: datetime = field(default_factory=timezone.now)
    person: str = ""
    batch: UUID = field(default_factory=uuid4)

    @property
    def who(self) -> str:
        """The person responsible."""
        return self.person or self.actor


@dataclass(frozen=True, slots=True)
class Done:
    """A decided card, and the operation that changed its file, if one did."""

    card: ReviewCard
    operation: Operation | None = None


def accept(shown: ReviewCard, decision: Decision) -> Done:
    """Accept a card; of two people the first one leaves it open for the second.

    Raises:
        ReviewRefused: ``review-handled``, ``review-grown``, ``review-second``.
    """
    with _held(shown, decision) as (workspace, card):
        return Done(_accepted(workspace, card, decision))


def accept_all(cards: Iterable[ReviewCard], decision: Decision) -> list[ReviewCard]:
    """Accept cards as far as they are open; return those that are handled now."""
    found = []
    for card in cards:
        try:
            found.append(accept(card, decision).card)
        except ReviewRefused:
            continue
    return found


def revert(
    shown: ReviewCard, decision: Decision, choices: Mapping[int, Choice] | None = None
) -> Done:
    """Take a card's change back on the text that its file has now.

    Raises:
        ReviewRefused: ``review-handled``, ``review-grown``, ``review-renamed``,
            ``review-file-gone``; ``review-conflict``, a clash has no choice.
        Conflict: the file changed meanwhile.
        FormatError: a version is gone, or the text cannot be written.
        FileError: the file cannot be read or written.
    """
    with _held(shown, decision) as (workspace, card):
        found = revert_of(workspace, card)
        text = found.result(choices or {})
        operation = None
        if text != found.current or (found.made_file and not text and found.sha256):
            removes = found.made_file and not text.strip()
            verb = "remove_new" if removes else "revert_change"
            operation = _write(workspace, card, decision, found, verb, text)
        card.excerpt = found.excerpt
        _decided(card, _State.REVERTED, decision, operation)
    renew_pages(workspace)
    return Done(card, operation)


def revert_all(cards: Iterable[ReviewCard], decision: Decision) -> list[Done]:
    """Revert cards, the newest change first, as far as no choice or mend is needed."""
    found = []
    for card in sorted(cards, key=lambda card: -card.last_seq):
        try:
            found.append(revert(card, decision))
        except (Conflict, FormatError, FileError):
            continue
    return found


def undo_reverts(workspace: Workspace, batch: UUID, actor: str) -> tuple[int, int]:
    """Undo an actor's reverts of a batch; return how many, and how many are left."""
    rows = Operation.objects.filter(workspace=workspace, actor=actor)
    operations = list(rows.filter(key__startswith=f"review-{batch}-").order_by("-seq"))
    left = 0
    for operation in operations:
        try:
            undo(workspace, operation, actor)
        except (Conflict, FormatError, FileError):
            left += 1
    return len(operations) - left, left


def edit(shown: ReviewCard, decision: Decision, text: str, base: str) -> Done:
    """Write a person's text of the file in place of `base`, the text they began with.

    It counts as their acceptance.

    Raises:
        Conflict: the file has another text by now.
        ReviewRefused, FormatError, FileError: as of `revert`.
    """
    with _held(shown, decision) as (workspace, card):
        path = path_now(workspace, card)
        disk = found_now(workspace, path)
        if disk.text.replace("\r\n", "\n") != base.replace("\r\n", "\n"):
            raise Conflict(path, base, disk.text)
        found = Revert(
            path, "", "", disk.text, disk.sha256, disk.decoded.carrier, made_file=False
        )
        plain = text.replace("\r\n", "\n")
        text = plain.replace("\n", "\r\n") if "\r\n" in disk.text else plain
        operation = None
        if text != disk.text:
            operation = _write(workspace, card, decision, found, "edit_text", text)
        return Done(_accepted(workspace, card, decision, operation), operation)


def reopen(card: ReviewCard) -> bool:
    """Put a handled card back into the queue; return whether it was handled.

    A revert is undone by its operation instead.
    """
    rows = ReviewCard.objects.filter(pk=card.pk).exclude(state=_State.FORGOTTEN)
    rows = rows.exclude(state=_State.REVERTED)
    number = rows.update(state=_State.OPEN, **_UNDECIDED, operation="")
    if number:
        renew_pages(Workspace.objects.get(pk=card.workspace_id))
    return bool(number)


def note_undone(workspace: Workspace, operation: Operation, **_: Any) -> None:
    """Put the card of an undone operation back into the state before it."""
    review = operation.payload.get("review")
    if not isinstance(review, dict):
        return
    values: dict[str, Any] = {"state": review["was"]}
    if review["was"] == _State.OPEN:
        values |= _UNDECIDED
    ReviewCard.objects.filter(workspace=workspace, pk=review["card"]).update(**values)
    renew_pages(workspace)


@contextmanager
def _held(
    card: ReviewCard, decision: Decision
) -> Iterator[tuple[Workspace, ReviewCard]]:
    """Lock a card, read anew, while it is decided: others wait and get a conflict.

    Raises:
        ReviewRefused: ``review-handled``, it is decided; ``review-grown``, it has
            further changes than the person saw.
    """
    workspace = Workspace.objects.get(pk=card.workspace_id)
    with file_lock(workspace, f"review/{card.pk}"):
        # A card whose changes came to nothing was deleted.
        rows = ReviewCard.objects.filter(pk=card.pk)
        now = rows.select_related("rule").first()
        if now is None:
            raise ReviewRefused("review-handled", path=card.path, actor="", state="")
        if not now.is_open:
            raise ReviewRefused(
                "review-handled", path=now.path, actor=now.handled_by, state=now.state
            )
        if decision.seen not in (None, now.last_seq):
            raise ReviewRefused("review-grown", path=now.path)
        yield workspace, now


def _accepted(
    workspace: Workspace,
    card: ReviewCard,
    decision: Decision,
    operation: Operation | None = None,
) -> ReviewCard:
    """Note an acceptance: the only one needed, the first, or the second.

    Raises:
        ReviewRefused: ``review-second``, the same person accepted it first.
    """
    needed = people_needed(workspace, card.path)
    if card.first_by == decision.who and needed > 1 and operation is None:
        raise ReviewRefused("review-second", path=card.path, actor=card.first_by)
    if needed > 1 and card.first_by in ("", decision.who):
        card.first_by, card.first_accepted_at = decision.who, decision.at
        _decided(card, _State.OPEN, replace(decision, actor=""), operation)
    else:
        state = _State.EDITED if operation else _State.ACCEPTED
        _decided(card, state, decision, operation)
    renew_pages(workspace)
    return card


def _decided(
    card: ReviewCard,
    state: ReviewCard.State,
    decision: Decision,
    operation: Operation | None,
) -> None:
    """Save a decision, unless the card got further changes while it was made.

    Raises:
        ReviewRefused: ``review-grown``.
    """
    card.state = state
    card.handled_by = decision.actor
    card.handled_at = decision.at if decision.actor else None
    card.reason = decision.reason.strip()[:REASON]
    card.operation = operation.key if operation else ""
    values = {
        name: getattr(card, name)
        for name in (
            "state", "handled_by", "handled_at", "reason", "operation", "excerpt",
            "first_by", "first_accepted_at",
        )
    }  # fmt: skip
    rows = ReviewCard.objects.filter(pk=card.pk, state=_State.OPEN)
    if operation is None:
        rows = rows.filter(last_seq=card.last_seq)
    if not rows.update(**values):
        raise ReviewRefused("review-grown", path=card.path)


def _write(
    workspace: Workspace,
    card: ReviewCard,
    decision: Decision,
    found: Revert,
    verb: str,
    text: str,
) -> Operation:
    """Write a text in place of the one that was found, as an operation."""
    digest = ""
    if verb != "remove_new":
        data, digest = found.encoded(text)
        with transaction.atomic():
            store_in(workspace.pk, [pack(data, digest, None)])
    state = _State.EDITED if verb == "edit_text" else _State.REVERTED
    payload = {
        "sha": digest,
        "before": found.sha256,
        "label": found.path,
        "review": {"card": card.pk, "state": state.value, "was": _State.OPEN.value},
    }
    base = text_key(found.current)
    key = f"review-{decision.batch}-{card.pk}"
    edit = Edit(found.path, verb, payload, decision.actor, base, decision.reason, key)
    return apply_edit(workspace, edit)
