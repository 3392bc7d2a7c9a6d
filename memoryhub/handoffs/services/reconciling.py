"""Reconciliation of the two files of a handoff between workspaces.

Repairs a crash between the two writes, and an edit by hand, at the next change or sync.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from memoryhub.formats.base import NOWHERE, FormatError
from memoryhub.formats.hub import handoff as handoff_format
from memoryhub.formats.hub.handoff import Fields, HandoffDocument, LogLine, Result, Task
from memoryhub.formats.text.dates import in_utc
from memoryhub.handoffs.log_verbs import (
    SEND,
    placed,
    standing_in,
    step_payload,
    step_verb,
    task_payload,
    with_signed,
)
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.queries.signing import signatures_of
from memoryhub.handoffs.rules.acting import SIGNED_OFF
from memoryhub.handoffs.rules.signing import signed_key
from memoryhub.handoffs.rules.twins import Placed, lacking, together
from memoryhub.handoffs.services.rows import certain
from memoryhub.handoffs.services.twins import called, pair_of, twin_path
from memoryhub.journal.models import Workspace
from memoryhub.journal.verbs import Payload
from memoryhub.sync.edit.editing import apply_edit
from memoryhub.sync.edit.edits import Conflict, Edit
from memoryhub.sync.edit.writing import read_newest

_Signer = tuple[str, datetime | None]
#: Hashes of signed texts by signer and time.
_Signed = Mapping[_Signer, str]
#: A seq beyond the end of any journal.
_EVER = 2**62


def reconcile(handoff: Handoff, at: datetime) -> tuple[FormatError | Conflict, ...]:
    """Make both files of a handoff have the same content; the caller holds both lanes.

    Returns the conflicts for people to resolve: a write begun while another was in
    progress, contradicting content.

    Raises:
        FileError: one of the files cannot be read or written.
    """
    pair = pair_of(handoff)
    if pair.other is None:
        return ()
    here = _Side(pair.workspace, handoff.file.path, at)
    there = _Side(pair.other, twin_path(handoff), at)
    against = []
    home, away = (there, here) if handoff.away else (here, there)
    for side, other in ((home, away), (away, home)):
        try:
            side.hear(other, leads=side is home)
        except (FormatError, Conflict) as error:
            against.append(error)
    return tuple(against)


@dataclass(frozen=True, slots=True)
class _Side:
    """The file of a handoff in one of its workspaces."""

    workspace: Workspace
    path: str
    at: datetime

    def read(self) -> HandoffDocument:
        return handoff_format.parse(
            read_newest(self.workspace, self.path, self.at).text
        )

    def hear(self, other: _Side, *, leads: bool) -> None:
        """Insert the content that only the other file has, at its place.

        Raises:
            FormatError: the rules, or an odd file, are against it.
            Conflict: an agent writes this file just now.
        """
        mine, theirs = self.read(), other.read()
        if not theirs.tasks:
            return
        task = self._named_here(theirs.tasks[0], other)
        own, said = _Said.of(mine, self, self), _Said.of(theirs, other, self)
        whole = own.together(said) if leads else said.together(own)
        signed = other.signed(theirs, self)
        if not mine.tasks:
            lines = [line for line in whole.lines if _signer(line) not in signed]
            self._make(task, theirs, lines, other)
            mine = self.read()
        for payload in _Said.of(mine, self, self).steps_to(whole):
            self._step(task, _with_signed(payload, signed), standing_in(mine))
            mine = self.read()

    def signed(self, document: HandoffDocument, reader: _Side) -> _Signed:
        """Return the sign-offs by people in this file, with the reader's names.

        Shows the other side which sign-off lines are a person's.
        """
        if all(line.verb != SIGNED_OFF for line in document.log):
            return {}
        row = self._row(document.tasks[0].task_id)
        key = signed_key(row)
        given = signatures_of([row], [row.file_id], _EVER).get(row.id, frozenset())
        here, there = self.workspace, reader.workspace
        return {
            (called(one.actor, here, there), one.at): one.text_key
            for one in given
            if one.text_key == key
        }

    def local(self, moment: datetime | None) -> datetime | None:
        """Return a time of this file in UTC."""
        zone = ZoneInfo(self.workspace.time_zone)
        if moment is None or moment.tzinfo is not None:
            return moment and moment.astimezone(UTC)
        return moment.replace(tzinfo=zone).astimezone(UTC)

    def _make(
        self, task: Task, theirs: HandoffDocument, lines: list[LogLine], other: _Side
    ) -> None:
        due = other.local(theirs.due)
        fields = replace(
            theirs.fields,
            due=in_utc(due) if due else "",
            twin=f"{other.workspace.slug}/{task.task_id}",
        )
        payload = task_payload(task, fields) | step_payload(*lines)
        self._write(SEND, payload, task.sender, "")

    def _step(self, task: Task, payload: Payload, base: str) -> None:
        said = task_payload(Task(task.task_id, "", "", ""), Fields())
        row = {"row": self._row(task.task_id).code, "label": task.context}
        lines = payload["lines"]
        actor = lines[-1]["actor"] if lines else task.recipient
        self._write(step_verb(payload), said | payload | row, actor, base)

    def _row(self, task_id: str) -> Handoff:
        """Return the row of this file's handoff.

        Raises:
            FormatError: ``row-unknown``, such as if the file has another id.
        """
        rows = Handoff.objects.filter(workspace=self.workspace, last_seq__isnull=True)
        with certain(self.workspace):
            row = rows.filter(task_id=task_id, file__path=self.path).first()
        if row is None:
            raise FormatError("row-unknown", row=task_id)
        return row

    def _write(self, verb: str, payload: Payload, actor: str, base: str) -> None:
        edit = Edit(self.path, verb, payload, actor, base)
        apply_edit(self.workspace, edit, clock=lambda: self.at)

    def _named_here(self, task: Task, other: _Side) -> Task:
        here, there = self.workspace, other.workspace
        return replace(
            task,
            sender=called(task.sender, there, here),
            recipient=called(task.recipient, there, here),
            lines=NOWHERE,
            problems=(),
        )


@dataclass(frozen=True, slots=True)
class _Said:
    """The log and results of a file, with names and times as one side has them."""

    lines: list[LogLine]
    results: list[Result]

    @classmethod
    def of(cls, document: HandoffDocument, side: _Side, reader: _Side) -> _Said:
        here, there = side.workspace, reader.workspace
        lines = [
            replace(
                line,
                at=side.local(line.at),
                actor=called(line.actor, here, there),
                lines=NOWHERE,
            )
            for line in document.log
        ]
        results = [replace(r, lines=NOWHERE, problems=()) for r in document.results]
        return cls(lines, results)

    def together(self, other: _Said) -> _Said:
        """Return the merge of both; this one leads."""
        return _Said(
            together(self.lines, other.lines, lambda line: line.at),
            together(self.results, other.results, lambda _: None),
        )

    def steps_to(self, whole: _Said) -> Iterator[Payload]:
        """Yield the steps that insert what is missing: lines with the last result."""
        lines = lacking(self.lines, whole.lines)
        results = lacking(self.results, whole.results)
        for lack in results[:-1]:
            yield placed(_step_of(whole, [], lack), [], lack.place)
        if lines or results:
            newest = results[-1] if results else None
            payload = _step_of(whole, lines, newest)
            yield placed(
                payload,
                [lack.place for lack in lines],
                newest.place if newest else None,
            )


def _signer(line: LogLine) -> _Signer:
    """Return signer and time of a sign-off line; ("", None) for other lines."""
    return (line.actor, line.at) if line.verb == SIGNED_OFF else ("", None)


def _with_signed(payload: Payload, signed: _Signed) -> Payload:
    """Mark the lines of a step's payload that people signed."""
    keys = {}
    for place, line in enumerate(payload["lines"]):
        at = datetime.fromisoformat(line["at"]) if line["at"] else None
        signer = line["actor"], at
        if line["verb"] == SIGNED_OFF and signer in signed:
            keys[place] = signed[signer]
    return with_signed(payload, keys)


def _step_of(whole: _Said, lines: list[Placed], result: Placed | None) -> Payload:
    return step_payload(
        *(whole.lines[lack.item] for lack in lines),
        result=whole.results[result.item] if result else None,
    )
