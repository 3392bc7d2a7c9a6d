"""Two texts of one file made into one: conflict markers, and copies of a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memoryhub.formats.text.merging import (
    Choice,
    Clash,
    Part,
    chosen,
    clashes_in,
    compare,
    parts_of,
    unsettled,
)
from memoryhub.journal.models import Operation, Problem, Workspace
from memoryhub.journal.problems import COPIES
from memoryhub.journal.verbs import verb_of
from memoryhub.sync.edit.editing import apply_edit
from memoryhub.sync.edit.edits import Edit
from memoryhub.sync.edit.writing import look
from memoryhub.sync.files import Who

_REPLACE, _REMOVE = "replace_file", "remove_file"


@dataclass(frozen=True, slots=True)
class TwoTexts:
    """Two texts of the file at a path, as settled parts and clashes.

    `copy` is the path of the second one, whose text is `other`; empty where both are
    between conflict markers. `seen` changes with either file.
    """

    path: str
    copy: str
    text: str
    other: str
    seen: str
    parts: tuple[Part, ...]

    @property
    def clashes(self) -> list[Clash]:
        """What a person has to choose."""
        return clashes_in(self.parts)


def two_texts(workspace: Workspace, path: str) -> TwoTexts | None:
    """Return the two texts that a path stands for now; None if it is one.

    A clash's `disk` is ours, or the original's; its `here` is theirs, or the copy's.

    Raises:
        FileError: a file cannot be read.
    """
    found = look(workspace, path)
    if found.file is None:
        return None
    rows = Problem.objects.filter(
        workspace=workspace, path=path, code_name__in=COPIES, until_seq__isnull=True
    )
    parameters = rows.values_list("parameters", flat=True).first() or {}
    original = str(parameters.get("of", ""))
    if not original:
        if not unsettled(found.text):
            return None
        parts = parts_of(found.text)
        return TwoTexts(path, "", found.text, "", found.sha256, parts)
    disk = look(workspace, original)
    other = found.text.replace("\r\n", "\n")
    if "\r\n" in disk.text:
        other = other.replace("\n", "\r\n")
    return TwoTexts(
        original,
        path,
        disk.text,
        found.text,
        f"{disk.sha256} {found.sha256}",
        compare(disk.text, other),
    )


def make_one(
    workspace: Workspace,
    found: TwoTexts,
    choices: Sequence[Choice],
    who: Who,
    *,
    remove: bool,
) -> list[Operation]:
    """Write the chosen text, if it is another one; with `remove` remove the copy.

    Raises:
        Conflict: a file was changed meanwhile.
        FormatError: the text cannot be written.
        FileError: a file cannot be read or written.
    """
    done = []
    text = chosen(found.parts, choices)
    if text != found.text:
        payload = {"text": text, "label": found.path}
        edit = _edit(found.path, _REPLACE, payload, found.text, who)
        done.append(apply_edit(workspace, edit))
    if remove and found.copy:
        edit = _edit(found.copy, _REMOVE, {"label": found.copy}, found.other, who)
        done.append(apply_edit(workspace, edit))
    return done


def _edit(
    path: str, verb: str, payload: Mapping[str, str], text: str, who: Who
) -> Edit:
    """Return an edit of the file that still has this text."""
    base = verb_of(verb).value(text, dict(payload))
    return Edit(path, verb, dict(payload), who.actor, base, key=f"{who.key}-{verb}")
