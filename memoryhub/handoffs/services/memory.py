"""Memory updates of results: put into the agents' memory, and taken out with them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime
from zoneinfo import ZoneInfo

from memoryhub.disk.files import FileError
from memoryhub.formats.base import FormatError
from memoryhub.formats.hub import handoff as handoff_format
from memoryhub.handoffs.log_verbs import ADD_MEMORY, REDONE, STEP, TAKE_BACK
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.services.sequels import follow, sequel_of
from memoryhub.handoffs.services.twins import twin_of
from memoryhub.journal.models import Operation, Workspace
from memoryhub.journal.scopes import Scope, scope_to_write
from memoryhub.journal.verbs import Payload, verb_of
from memoryhub.journal.versions import is_known, newest_text
from memoryhub.sync.edit.editing import apply_edit, undo
from memoryhub.sync.edit.edits import Conflict, Edit
from memoryhub.sync.edit.operations import undo_key
from memoryhub.values.identity import id_of

#: The file an update is for, when its first line names one of the memory folders'.
_NAMED = re.compile(
    r"(?:^|[\s`(\[])(memor(?:y|ies)(?:/[\w@+-][\w.@+-]*)+\.md)\b", re.ASCII
)
#: A first line that says nothing else.
_ONLY_NAMED = re.compile(r"[\s`*#>-]*memor(?:y|ies)/[\w./@+-]+\.md[\s`*:]*", re.ASCII)
_CONTEXT = "memories/context.md"
_STAGED, _WITHDRAWN = Operation.State.STAGED, Operation.State.WITHDRAWN


@dataclass(frozen=True, slots=True)
class Remembered:
    """What became of a memory update.

    It was written, or is `staged` for a review, or was `refused` with a reason: the
    result stands in any case.
    """

    path: str
    staged: bool = False
    refused: str = ""


@dataclass(frozen=True, slots=True)
class Update:
    """What a handoff's result has for the agents' memory."""

    handoff: Handoff
    text: str

    def edit(self, actor: str, key: str, at: datetime) -> Edit:
        """Return what puts it at the end of the file it is for."""
        workspace = self.handoff.workspace
        today = at.astimezone(ZoneInfo(workspace.time_zone)).date()
        path, text = memory_place(workspace, self.text, today)
        said = {"row": self.handoff.code, "label": self.handoff.task_id, "text": text}
        return Edit(path, ADD_MEMORY, said, actor, key=key)

    def forget(self, actor: str, at: datetime) -> None:
        """Take out what was put into a file last, where it is as it was then."""
        written = (operation for operation, undone in self._written() if not undone)
        if (operation := next(written, None)) is not None:
            with suppress(Conflict, FormatError, FileError):
                undo(self.handoff.workspace, operation, actor, clock=lambda: at)

    def bring_back(self, actor: str, key: str, at: datetime) -> None:
        """Put in again what was taken out."""
        if any(undone for _, undone in self._written()):
            with suppress(Conflict, FormatError, FileError):
                edit = self.edit(actor, key, at)
                apply_edit(self.handoff.workspace, edit, clock=lambda: at)

    def left(self) -> Iterator[Remembered]:
        """Give where it stands still, or is only staged to be taken out."""
        workspace, count = self.handoff.workspace, verb_of(ADD_MEMORY).value
        for operation, undone in self._written():
            text = newest_text(workspace, operation.target)
            staged = undone is not None and undone.state == _STAGED
            if (staged or undone is None) and count(text, operation.payload):
                yield Remembered(operation.target, staged)

    def _written(self) -> Iterator[tuple[Operation, Operation | None]]:
        """Give what put it into a file, the newest first, and what took it out."""
        said = {
            "payload__row": self.handoff.code,
            "payload__text": _named(self.text)[1],
        }
        known = Operation.objects.filter(workspace=self.handoff.workspace)
        done = known.exclude(state=_WITHDRAWN)
        for operation in done.filter(verb=ADD_MEMORY, **said).order_by("-seq"):
            yield operation, done.filter(key=undo_key(operation.seq)).first()


def remembered(operation: Operation, at: datetime) -> Remembered | None:
    """Write the memory update of a result, and return what became of it."""
    edit = sequel_of(operation)
    if edit is None:
        return None
    try:
        written = follow(operation, at)
    except (Conflict, FormatError, FileError) as error:
        return Remembered(edit.path, refused=str(error))
    return Remembered(edit.path, bool(written and written.state == _STAGED))


def memory_place(workspace: Workspace, update: str, today: date) -> tuple[str, str]:
    """Return the file that a memory update is for, and its text without that name."""
    path, text = _named(update)
    if path:
        return path, text
    if is_known(workspace, _CONTEXT):
        return _CONTEXT, text
    return f"{workspace.memory_folder}/{today.isoformat()}.md", text


def _named(update: str) -> tuple[str, str]:
    """Return the file that an update names, if it does, and what to put there."""
    first, _, rest = update.strip().partition("\n")
    found = _NAMED.search(first)
    if not found or _is_kept_apart(found[1]):
        return "", update.strip()
    only = rest.strip() and _ONLY_NAMED.fullmatch(first)
    return found[1], rest.strip() if only else update.strip()


def _is_kept_apart(path: str) -> bool:
    """Tell whether a file says who does what: nothing that is learned goes there."""
    folder = f"{handoff_format.FOLDER}/"
    is_log = path.casefold().startswith(folder)
    return is_log or scope_to_write(path) is not Scope.MEMORY


def take_along(handoff: Handoff, edit: Edit, at: datetime) -> None:
    """Have the memory update of a result go with it, or come again with it.

    Where its file says something else by now it stays as it is: see `left_behind`.
    """
    result = edit.payload.get("result") or {}
    if not result.get("memory_update"):
        return
    for update in _updates(handoff, result["memory_update"]):
        if edit.verb == TAKE_BACK:
            update.forget(edit.actor, at)
        elif edit.verb == STEP and edit.payload.get(REDONE):
            update.bring_back(edit.actor, f"{edit.key}-memory", at)


def left_behind(workspace: Workspace, operation: Operation) -> tuple[Remembered, ...]:
    """Return where the memory update still stands of a result that was taken back."""
    result = operation.payload.get("result") or {}
    if operation.verb != STEP or not result.get("memory_update"):
        return ()
    handoff = _handoff_of(workspace, operation.payload)
    updates = _updates(handoff, result["memory_update"]) if handoff else ()
    return tuple(left for update in updates for left in update.left())


def _handoff_of(workspace: Workspace, payload: Payload) -> Handoff | None:
    rows = Handoff.objects.select_related("workspace")
    return rows.filter(workspace=workspace, pk=id_of(payload["row"])).first()


def _updates(handoff: Handoff, text: str) -> Iterator[Update]:
    """Give an update as each of its workspaces may have it in a file."""
    yield Update(handoff, text)
    if twin := twin_of(handoff):
        yield Update(twin, text)
