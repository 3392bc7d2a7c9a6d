"""Feed of the review queue: changes of long-lived files become cards.

Cards are rows of their own, not projections: `ReviewSetup.fed_seq` says up to where the
journal was looked at, so that a replay makes none a second time.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any

from memoryhub.dialects.facts import Recalled
from memoryhub.journal.changes import Change
from memoryhub.journal.importers.losses import text_of
from memoryhub.journal.importing import Importer, Session
from memoryhub.journal.models import Operation, Revision, Workspace
from memoryhub.journal.prepared import Prepared
from memoryhub.journal.rows import Rows
from memoryhub.journal.versions import is_long_lived
from memoryhub.reviews.matching import (
    matching_rule,
    people_for,
    possible_rules,
    promotions_in,
)
from memoryhub.reviews.models import ReviewCard, ReviewRule, ReviewSetup

#: Changes without a session are of one if no longer apart.
_APART = timedelta(minutes=30)
#: Times of files are in whole seconds.
_SECOND = timedelta(seconds=1)
#: The run of the first import: it finds files, and sees no change.
_FIRST_RUN = 1
#: Verbs of decisions on cards: no change by an agent.
_DECISIONS = frozenset({"revert_change", "edit_text", "remove_new"})


class ReviewFeed(Importer):
    """Maker of the cards of one projection session."""

    def __init__(self, session: Session) -> None:
        self._workspace = session.workspace
        self._files = session.files
        self._setup: ReviewSetup | None = None
        self._fed = 0

    def take(self, change: Change) -> None:
        """Make a card of a change, or add the change to the file's last card."""
        if not self._is_long_lived(change):
            return
        setup = self._setup = self._setup or _setup_of(self._workspace.id)
        if change.seq <= setup.fed_seq:
            return
        self._fed = change.seq
        wrote = _WROTE(self._workspace.id, change.seq) if change.actor else []
        if self._is_of_nobody(change, wrote):
            return
        if people_for(setup.policies, change.path):
            self._add(change, setup, wrote)

    def flush(self, rows: Rows) -> None:
        """Store the journal position that was read, if no card has it."""
        if not self._fed:
            return
        key = self._workspace.id
        rows.upsert(ReviewSetup, id=key, workspace_id=key, fed_seq=self._fed)
        self._fed = 0

    def _is_long_lived(self, change: Change) -> bool:
        current = self._files.format_of(change.file_id)
        if is_long_lived(str(change.place), current):
            return True
        before = change.previous_format
        return bool(before) and is_long_lived(str(change.previous_place), before)

    def _is_of_nobody(self, change: Change, wrote: Sequence[_Wrote]) -> bool:
        """Return whether no agent made a change: a person did, or it is none.

        The first import finds files; so does a later one, if a file is older than the
        workspace.
        """
        if change.actor:
            is_decision = any(verb in _DECISIONS for verb, _ in wrote)
            return change.acting_id is None or is_decision
        if change.run_number == _FIRST_RUN:
            return True
        if not change.fresh:
            return False
        return change.changed_at < self._added_at - _SECOND

    @cached_property
    def _added_at(self) -> datetime:
        return Workspace.everything.get(pk=self._workspace.id).created_at

    def _add(self, change: Change, setup: ReviewSetup, wrote: Sequence[_Wrote]) -> None:
        found = dict(_SHAS(self._workspace.id, change.seq, change.previous_seq))
        before, after = (found.get(n) or "" for n in (change.previous_seq, change.seq))
        session = _session_of(change, wrote)
        last = next(iter(_LAST(self._workspace.id, change.file_id)), None)
        if last is not None and _goes_on(last, change, session):
            self._extend(last, change, before, after)
            return
        self._fed = 0
        change.rows.insert(
            ReviewCard,
            workspace_id=self._workspace.id,
            file=change.file_id,
            path=change.path,
            kind=_kind_of(change, before, after),
            agent=change.actor[:200],
            session=session,
            before_seq=change.previous_seq if before else 0,
            first_seq=change.seq,
            last_seq=change.seq,
            before_sha=before,
            after_sha=after,
            first_at=change.recorded_at,
            last_at=change.recorded_at,
            **self._found_in(change, setup),
        )

    def _extend(
        self, last: ReviewCard, change: Change, before: str, after: str
    ) -> None:
        """Fold a change into a card; one that comes to nothing is deleted."""
        if last.before_sha == after and last.path == change.path:
            ReviewCard.objects.filter(pk=last.pk).delete()
            return
        assert self._setup is not None
        self._fed = 0
        found = self._found_in(change, self._setup)
        found["rule_id"] = found.get("rule_id") or last.rule_id
        found["promoted"] = last.promoted + found.get("promoted", 0)
        change.rows.update(
            ReviewCard,
            last.pk,
            kind=_kind_together(last, _kind_of(change, before, after)),
            path=change.path,
            last_seq=change.seq,
            last_at=change.recorded_at,
            after_sha=after,
            changes=last.changes + 1,
            **found,
        )

    def _found_in(self, change: Change, setup: ReviewSetup) -> dict[str, Any]:
        """Return fields found in a change's text: the matching rule, promotions."""
        marked = "openclaw-memory-promotion:" in change.text
        if not (marked or setup.rules):
            return {}
        rules = ReviewRule.objects.filter(workspace=self._workspace.id).order_by("pk")
        possible = possible_rules(
            rules if setup.rules else (), change.path, change.text
        )
        if not (marked or possible):
            return {}
        before = _text_before(self._workspace.id, change)
        rule = matching_rule(possible, before, change.text)
        promoted = promotions_in(before, change.text) if marked else 0
        return {"rule_id": rule.pk if rule else None, "promoted": promoted}


#: Verb and session of an operation that wrote a version.
_Wrote = tuple[str, str | None]


def _setup_of(workspace_id: int) -> ReviewSetup:
    """Return the review settings; the newest card says how far the journal was read."""
    cards = ReviewCard.objects.filter(workspace=workspace_id).order_by("-last_seq")
    newest = cards.values_list("last_seq", flat=True).first() or 0
    setup = ReviewSetup.objects.filter(pk=workspace_id).first() or ReviewSetup()
    setup.fed_seq = max(setup.fed_seq, newest)
    return setup


def _session_of(change: Change, wrote: Sequence[_Wrote]) -> str:
    """Return the session that the operation or a new fact's front matter names."""
    if change.actor:
        return next((session for _, session in wrote if session), "")
    recalled = change.stated(Recalled) if change.fresh else []
    return next((one.session_id for one in recalled), "")


def _text_before(workspace_id: int, change: Change) -> str:
    rows = Revision.objects.filter(workspace_id=workspace_id, seq=change.previous_seq)
    return text_of(rows.values_list("blob_id", flat=True).first())


def _goes_on(last: ReviewCard, change: Change, session: str) -> bool:
    """Return whether a change belongs to the file's last card."""
    is_same = last.agent == change.actor[:200] and last.session == session
    is_open = last.is_open and not last.first_by
    is_next = last.last_seq == change.previous_seq
    near = change.recorded_at - last.last_at <= _APART
    return is_same and is_open and is_next and (bool(session) or near)


def _kind_of(change: Change, before: str, after: str) -> str:
    if not after:
        return "deleted"
    if not before:
        return "new"
    return "moved" if change.kind == Revision.Kind.MOVED else "changed"


def _kind_together(last: ReviewCard, kind: str) -> str:
    """Return the kind of a card with one more change of this kind."""
    if kind == "deleted":
        return kind
    if not last.before_sha:
        return "new"
    return "moved" if "moved" in (kind, last.kind) else "changed"


#: The last card of a file.
_LAST: Prepared[ReviewCard] = Prepared(
    lambda workspace_id, file: ReviewCard.objects.filter(
        workspace_id=workspace_id, file=file
    ).order_by("-last_seq")[:1],
    int,
    int,
)
_SHAS: Prepared[tuple[int, str | None]] = Prepared(
    lambda workspace_id, seq, before: (
        Revision.objects.filter(workspace_id=workspace_id, seq__in=[seq, before])
        .order_by()
        .values_list("seq", "blob__sha256")
    ),
    int,
    int,
    int,
)
_WROTE: Prepared[tuple[str, str | None]] = Prepared(
    lambda workspace_id, seq: Operation.objects.filter(
        workspace_id=workspace_id, version_seq=seq
    ).values_list("verb", "session"),
    int,
    int,
)
