"""Reading of a file: decode its bytes, detect the dialect, parse."""

from __future__ import annotations

import logging
from pathlib import PurePosixPath
from typing import NamedTuple

from memoryhub.formats.base import Document, FormatError
from memoryhub.formats.openclaw.memory_files import placed
from memoryhub.formats.others import agent_roles, plain
from memoryhub.formats.registry import detect
from memoryhub.formats.roles import Role
from memoryhub.formats.text.decoding import UTF8, decode, is_foreign
from memoryhub.formats.text.merging import settled

#: Error of a file that a program made beside another one that it could not merge.
CONFLICT_COPY = "conflict-copy"
_log = logging.getLogger(__name__)


class Reading(NamedTuple):
    """A parsed version of a file; `document` is None if `error` is set."""

    path: PurePosixPath
    text: str
    encoding: str
    replaced: int
    format: str
    document: Document | None
    error: FormatError | None = None

    @property
    def stated(self) -> str:
        """The text from which rows are made: without a conflict's sides."""
        return "" if self.is_copy else settled(self.text)

    @property
    def is_copy(self) -> bool:
        """Return whether it is another program's copy of a file, which states it."""
        return self.error is not None and self.error.code == CONFLICT_COPY

    def taken_as(self, role: Role) -> Document | None:
        """Return the document from which rows are made: of a role that is read.

        The agents that AGENTS.md declares are agents, though all else in it is rules.
        """
        is_taken = role.is_read or self.format == agent_roles.NAME
        return self.document if is_taken else None

    def as_copy_of(self, path: str) -> Reading:
        """Return this reading as that of a copy: without a document."""
        error = FormatError(CONFLICT_COPY, of=path)
        return self._replace(format=plain.NAME, document=None, error=error)

    def not_imported(self, error: Exception) -> Reading:
        """Return this reading with the import's failure and no document."""
        return self._replace(document=None, error=_failure(error))


def unreadable_version(path: str) -> Reading:
    """Return an empty reading for a version whose stored bytes are damaged."""
    error = FormatError("version-damaged")
    return Reading(PurePosixPath(path), "", UTF8, 0, plain.NAME, None, error)


def read_document(root: str, path: str, data: bytes) -> Reading:
    """Decode and parse the bytes of a workspace's file. Never raises."""
    decoded = decode(data)
    format_name, document, error = plain.NAME, None, None
    try:
        if is_foreign(data, decoded):
            raise FormatError("encoding-unknown")
        format_ = detect(placed(root, path), decoded.text)
        format_name = format_.NAME
        document = format_.parse(settled(decoded.text))
    except FormatError as raised:
        error = raised
    except Exception as raised:
        _log.exception("%s could not be read", path)
        error = _failure(raised)
    return Reading(
        PurePosixPath(path),
        decoded.text,
        decoded.encoding,
        decoded.replaced,
        format_name,
        document,
        error,
    )


def _failure(error: Exception) -> FormatError:
    return FormatError("not-imported", error=type(error).__name__)
