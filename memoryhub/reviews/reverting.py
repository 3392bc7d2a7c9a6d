"""The revert of one change: a three-way merge of it, taken back, with today's text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any

from memoryhub.formats.base import FormatError
from memoryhub.formats.text.decoding import decode, encode
from memoryhub.formats.text.diffing import split_text
from memoryhub.formats.text.merging import (
    Choice,
    Clash,
    Part,
    chosen,
    clashes_in,
    merge_finely,
)
from memoryhub.journal.blobs import Gone, NoBytes, blob_bytes
from memoryhub.journal.models import Revision, SourceFile, Workspace
from memoryhub.reviews.models import ReviewCard
from memoryhub.sync.edit.writing import found_now

_EXCERPT = 160


class ReviewRefused(FormatError):
    """A refusal by the rules of reviews: a code with parameters."""


@dataclass(frozen=True)
class Revert:
    """The texts of a revert: before and after the change, and on disk now.

    `carrier` encodes a new text as the file is; `sha256` is the file's hash, empty if
    there is none.
    """

    path: str
    before: str
    after: str
    current: str
    sha256: str
    carrier: Any
    #: True for a change that made the file.
    made_file: bool

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """The merge: its base is the changed text, which disk and revert change."""
        return merge_finely(self.after, self.current, self.before)

    @property
    def clashes(self) -> list[Clash]:
        """Stretches that were changed again since."""
        return clashes_in(self.parts)

    def result(self, choices: Mapping[int, Choice]) -> str:
        """Return the file's text after the revert.

        Raises:
            ReviewRefused: ``review-conflict``, a clash has no choice.
        """
        clashes = len(self.clashes)
        picked = [choices[n] for n in range(clashes) if n in choices]
        if len(picked) < clashes:
            raise ReviewRefused("review-conflict", path=self.path, clashes=clashes)
        return chosen(self.parts, picked)

    def encoded(self, text: str) -> tuple[bytes, str]:
        """Return the bytes of a text in the file's encoding, and their hash.

        Raises:
            FormatError: ``text-not-encodable``.
        """
        if "\0" in text:
            raise FormatError("text-not-encodable")
        try:
            data = encode(text, self.carrier)
        except UnicodeError as error:
            raise FormatError("text-not-encodable") from error
        return data, sha256(data).hexdigest()

    @property
    def excerpt(self) -> str:
        """A line that the change added, else one that it removed."""
        before, after = split_text(self.before), split_text(self.after)
        return _first(after, set(before)) or _first(before, set(after))


def _first(lines: Sequence[str], known: set[str]) -> str:
    found = (line.strip() for line in lines if line not in known and line.strip())
    return next(found, "")[:_EXCERPT]


def revert_of(workspace: Workspace, card: ReviewCard) -> Revert:
    """Return the revert of a card's change on the text that the file has now.

    Raises:
        ReviewRefused: ``review-renamed``, only a name changed; ``review-file-gone``,
            the file was deleted since.
        FormatError: ``version-gone``, a text was forgotten; ``version-damaged``.
        FileError: the file cannot be read.
    """
    if card.is_rename:
        raise ReviewRefused("review-renamed", path=card.path)
    path = path_now(workspace, card)
    before, after = (
        text_at(workspace, card.before_seq),
        text_at(workspace, card.last_seq),
    )
    disk = found_now(workspace, path)
    if disk.file is None and card.kind != ReviewCard.Kind.DELETED:
        raise ReviewRefused("review-file-gone", path=path)
    return Revert(
        path,
        before,
        after,
        disk.text,
        disk.sha256,
        disk.decoded.carrier,
        made_file=not card.before_seq,
    )


def path_now(workspace: Workspace, card: ReviewCard) -> str:
    """Return the path of a card's file: that of today, if it was renamed since."""
    rows = SourceFile.objects.filter(workspace=workspace, pk=card.file, present=True)
    return rows.values_list("path", flat=True).first() or card.path


def text_at(workspace: Workspace, seq: int) -> str:
    """Return the text of the version with a seq; empty for 0 and a deleted file.

    Raises:
        FormatError: ``version-gone``, ``version-damaged``.
    """
    rows = Revision.objects.filter(workspace=workspace, seq=seq)
    version = rows.select_related("blob").first() if seq else None
    if version is None or version.blob is None:
        return ""
    try:
        return decode(blob_bytes(version.blob)).text
    except Gone as error:
        raise FormatError("version-gone") from error
    except NoBytes as error:
        raise FormatError("version-damaged") from error
