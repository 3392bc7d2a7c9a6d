"""Preview of the changes to each file by its staged operations.

A preview reads the disk and records nothing. Where the disk differs from an
operation's base, both are shown until a person chooses; the choice is staged in place
of the operation.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal

from memoryhub.disk.files import FileError
from memoryhub.formats.base import FormatError
from memoryhub.formats.text.decoding import encode
from memoryhub.formats.text.merging import (
    Choice,
    Clash,
    Part,
    chosen,
    clashes_in,
    merge,
)
from memoryhub.journal.models import Operation, Workspace
from memoryhub.journal.verbs import Limits, verb_of
from memoryhub.sync.edit.editing import Unwritten, restage, write_staged
from memoryhub.sync.edit.edits import (
    Edit,
    in_state,
    value_text,
)
from memoryhub.sync.edit.writing import found_now
from memoryhub.values.budgets import ENDLESS, Budget

State = Literal["conflict", "changed", "new", "deleted", "same", "unreadable"]
#: The choice for the n-th clash of an operation, by its seq and n.
Choices = Mapping[tuple[int, int], Choice]

#: States whose files are written; the others are left alone.
WRITTEN: frozenset[State] = frozenset({"changed", "new", "deleted", "same"})
#: The files of a preview as somebody has seen them: hash on disk by path.
Seen = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Answers:
    """Chosen resolutions of clashes; `actor` is the author of texts of neither side."""

    choices: Choices = field(default_factory=dict)
    actor: str = ""


@dataclass(frozen=True, slots=True)
class OpenClash:
    """A stretch in conflict between the disk and an operation, and the choice.

    `mixable`: texts other than the two sides are possible.
    """

    seq: int
    number: int
    verb: str
    actor: str
    at: datetime
    clash: Clash
    mixable: bool
    choice: Choice | None


@dataclass(frozen=True, slots=True)
class FilePreview:
    """The result of writing one file; `sha256` is that of the disk it was made from."""

    path: str
    state: State
    sha256: str
    before: str
    after: str
    verbs: tuple[str, ...]
    clashes: tuple[OpenClash, ...] = ()
    edits: tuple[Edit, ...] = ()
    dropped: tuple[str, ...] = ()
    reason: str = ""
    #: The staged text differs from the text to write: it is staged again first.
    restaged: bool = False

    @property
    def unresolved(self) -> int:
        return sum(clash.choice is None for clash in self.clashes)


def previews(
    workspace: Workspace,
    answers: Answers | None = None,
    *,
    only: Collection[str] | None = None,
    budget: Budget = ENDLESS,
) -> list[FilePreview]:
    """Return the previews of the files with staged operations, in order.

    All of them or those of `only`, until the budget is spent, but at least one.
    """
    staged: dict[str, list[Operation]] = {}
    for operation in in_state(workspace, Operation.State.STAGED):
        if only is None or operation.target in only:
            staged.setdefault(operation.target, []).append(operation)
    found: list[FilePreview] = []
    for path, operations in staged.items():
        if found and budget.is_spent:
            break
        found.append(_preview(workspace, path, operations, answers or Answers()))
    return found


def resolve(workspace: Workspace, preview: FilePreview) -> None:
    """Stage the choices for a file's clashes, all of which have one.

    Raises:
        ExternallyChanged: the file is no longer the one of the preview.
        FormatError: its dialect cannot hold the choice.
    """
    restage(workspace, preview.path, preview.edits, expected=preview.sha256)


def _preview(
    workspace: Workspace, path: str, operations: Sequence[Operation], answers: Answers
) -> FilePreview:
    verbs = tuple(operation.verb for operation in operations)
    try:
        disk = found_now(workspace, path)
        sha256, before, carrier = disk.sha256, disk.text, disk.decoded.carrier
        walk = _Walk(before, workspace, answers)
        walk.take_all(operations)
        encode(walk.text, carrier)
    except FileError as error:
        return _unreadable(path, verbs, error.reason)
    except FormatError as error:
        return _unreadable(path, verbs, error.code)
    except UnicodeError:
        return _unreadable(path, verbs, "text-not-encodable")
    preview = FilePreview(
        path=path,
        state=_state(sha256, before, walk),
        sha256=sha256,
        before=before,
        after=walk.text,
        verbs=verbs,
        clashes=tuple(walk.clashes),
        edits=tuple(walk.edits),
        dropped=tuple(walk.dropped),
        restaged=walk.restaged,
    )
    return replace(preview, state="conflict") if preview.unresolved else preview


def _state(sha256: str, before: str, walk: _Walk) -> State:
    if sha256 and walk.removes:
        return "deleted"
    if before == walk.text:
        return "same"
    return "changed" if sha256 else "new"


def _unreadable(path: str, verbs: tuple[str, ...], reason: str) -> FilePreview:
    return FilePreview(path, "unreadable", "", "", "", verbs, reason=reason)


class _Walk:
    """Operations applied to a text one after the other, up to conflicts."""

    def __init__(self, text: str, workspace: Workspace, answers: Answers) -> None:
        self.text = text
        self.clashes: list[OpenClash] = []
        self.edits: list[Edit] = []
        self.dropped: list[str] = []
        self.restaged = False
        self.removes = False
        self._answers = answers
        self._limits = Limits(workspace.max_decisions, workspace.max_history)

    def take_all(self, operations: Sequence[Operation]) -> None:
        for operation in _joined(operations):
            current = verb_of(operation.verb).value(self.text, operation.payload)
            if operation.base is None or current == operation.base:
                self._do(operation, operation.payload, current)
                continue
            self.restaged = True
            if current != operation.after:
                self._settle(operation, current)

    def _settle(self, operation: Operation, current: Any) -> None:
        """Apply an operation whose base is gone, if all its clashes have a choice."""
        parts = _parts(operation, current)
        found = [
            self._open(operation, number, clash)
            for number, clash in enumerate(clashes_in(parts))
        ]
        self.clashes += found
        picked = [clash.choice for clash in found if clash.choice is not None]
        if len(picked) < len(found):
            return
        name = _field(operation)
        if name:
            text = chosen(parts, picked)
            if text != _plain(str(current)):
                if text != _plain(str(operation.after)):
                    operation.actor = self._answers.actor or operation.actor
                self._do(operation, {**operation.payload, name: text}, current)
        elif picked and picked[0].kind == "here":
            self._do(operation, operation.payload, current)

    def _open(self, operation: Operation, number: int, clash: Clash) -> OpenClash:
        mixable = bool(_field(operation))
        choice = self._answers.choices.get((operation.seq, number))
        if choice and not mixable and choice.kind not in ("disk", "here"):
            choice = None
        return OpenClash(
            operation.seq,
            number,
            operation.verb,
            operation.actor,
            operation.recorded_at,
            clash,
            mixable,
            choice,
        )

    def _do(self, operation: Operation, payload: dict[str, Any], current: Any) -> None:
        verb = verb_of(operation.verb)
        _, inverse = verb.inverse(self.text, payload, self._limits)
        before = inverse.get("before")
        lists = before if isinstance(before, dict) else {}
        said = (inverse.get("dropped"), lists.get("decisions"), lists.get("history"))
        self.dropped += [
            text.strip() for text in said if isinstance(text, str) and text.strip()
        ]
        self.text = verb.apply(self.text, payload, self._limits)
        self.removes = verb.removes
        self.edits.append(
            Edit(
                operation.target,
                operation.verb,
                payload,
                operation.actor,
                base=current,
                reason=operation.reason,
            )
        )


def _parts(operation: Operation, current: Any) -> tuple[Part, ...]:
    if _field(operation) and isinstance(operation.base, str):
        texts = (operation.base, str(current), str(operation.after))
        return merge(*map(_plain, texts))
    sides = (operation.base, current, operation.after)
    return (Clash(*map(value_text, sides)),)


def _field(operation: Operation) -> str:
    """Return the name of the payload's field with the text that the operation sets."""
    after = operation.after
    if not isinstance(after, str):
        return ""
    payload = operation.payload.items()
    texts = ((name, said) for name, said in payload if isinstance(said, str))
    return next((name for name, said in texts if _plain(said) == _plain(after)), "")


def _plain(text: str) -> str:
    """Return a text without the line ends of its file, which are added when written."""
    return text.replace("\r\n", "\n").strip("\n")


def _joined(operations: Sequence[Operation]) -> list[Operation]:
    """Return operations; consecutive ones that set the same text are merged."""
    joined: list[Operation] = []
    for operation in operations:
        last = joined[-1] if joined else None
        if last is not None and _sets_again(last, operation):
            operation.base = last.base
            joined[-1] = operation
        else:
            joined.append(operation)
    return joined


def _sets_again(last: Operation, operation: Operation) -> bool:
    name = _field(operation)
    rest = {k: v for k, v in operation.payload.items() if k != name}
    before = {k: v for k, v in last.payload.items() if k != name}
    return bool(
        name
        and name == _field(last)
        and rest == before
        and last.verb == operation.verb
        and last.after == operation.base
    )


class PreviewStale(Exception):
    """Files differ from those of the preview; nothing was written."""

    def __init__(self, paths: Iterable[str]) -> None:
        super().__init__(paths)
        self.paths = tuple(paths)


def write_previewed(
    workspace: Workspace, found: Sequence[FilePreview], seen: Seen
) -> tuple[list[Operation], list[Unwritten]]:
    """Write the files without conflicts; those in conflict stay as they are.

    Return the operations done, and the files left alone.

    Raises:
        PreviewStale: since the preview, a file changed on disk or others were staged.
        ExternallyChanged: the same, at the moment of writing.
        FormatError: a dialect cannot hold the choice.
    """
    check_seen(found, seen)
    ready = [preview for preview in found if preview.state in WRITTEN]
    for preview in ready:
        if preview.restaged:
            resolve(workspace, preview)
    return write_staged(workspace, only={preview.path for preview in ready})


def resolve_previewed(
    workspace: Workspace, found: Sequence[FilePreview], seen: Seen, path: str
) -> bool:
    """Stage the choices for one file; return whether all clashes had one.

    Raises:
        PreviewStale: the file changed on disk since the preview.
        ExternallyChanged: the same, at the moment of staging.
        FormatError: its dialect cannot hold the choice.
    """
    mine = [preview for preview in found if preview.path == path]
    check_seen(mine, {name: sha for name, sha in seen.items() if name == path})
    for preview in mine:
        if preview.state not in WRITTEN:
            return False
        resolve(workspace, preview)
    return True


def check_seen(found: Sequence[FilePreview], seen: Seen) -> None:
    """Raise `PreviewStale` if the previews differ from those seen."""
    now = {preview.path: preview.sha256 for preview in found}
    if stale := [path for path in {**now, **seen} if now.get(path) != seen.get(path)]:
        raise PreviewStale(stale)
