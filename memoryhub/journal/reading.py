"""Reading of a file: decode its bytes, detect the dialect, parse."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from django.utils.module_loading import import_string

from memoryhub.dialects.facts import Document
from memoryhub.dialects.registry import FALLBACK, by_name, detect, parse_as
from memoryhub.dialects.roles import Role
from memoryhub.formats.base import FormatError
from memoryhub.formats.openclaw.memory_files import placed
from memoryhub.formats.text.decoding import UTF8, decode, is_foreign, shared_length
from memoryhub.formats.text.merging import settled
from memoryhub.values.lines import Lines

#: Error of a file that a program made beside another one that it could not merge.
CONFLICT_COPY = "conflict-copy"
#: Imported on demand: its tables take a while, and most commands read no file.
_SECRETS = "memoryhub.formats.secrets.detection.lines_of_secrets"
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
    #: Blob of the version before, whose rows hold what the document leaves out; mostly
    #: 0: it leaves out nothing.
    goes_on: int = 0
    #: Lines of probable secrets.
    secrets: Sequence[Lines] = ()

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
        dialect = by_name(self.format)
        is_rule = dialect.role is Role.INSTRUCTION
        is_taken = role.is_read or (is_rule and dialect.declares_agents)
        return self.document if is_taken else None

    def as_copy_of(self, path: str) -> Reading:
        """Return this reading as that of a copy: without a document."""
        error = FormatError(CONFLICT_COPY, of=path)
        name = FALLBACK.name
        return self._replace(format=name, document=None, error=error, goes_on=0)

    def not_imported(self, error: Exception) -> Reading:
        """Return this reading with the import's failure and no document."""
        return self._replace(document=None, error=_failure(error), goes_on=0)


def unreadable_version(path: str) -> Reading:
    """Return an empty reading for a version whose stored bytes are damaged."""
    error = FormatError("version-damaged")
    return Reading(PurePosixPath(path), "", UTF8, 0, FALLBACK.name, None, error)


def read_document(
    root: str,
    path: str,
    data: bytes,
    before: tuple[int, bytes] | None = None,
) -> Reading:
    """Decode and parse the bytes of a workspace's file. Never raises.

    `before`: blob and bytes of its version before, if a log may go on from there.
    """
    decoded = decode(data)
    format_name, error, goes_on = FALLBACK.name, None, 0
    document: Document | None = None
    try:
        if is_foreign(data, decoded):
            raise FormatError("encoding-unknown")
        place = placed(root, path)
        dialect = detect(place, decoded.text)
        format_name = dialect.name
        text = settled(decoded.text)
        known = 0
        if before is not None and text is decoded.text:
            known = shared_length(before[1], data, decoded)
        if before and known and dialect.append_only:
            document, goes_on = dialect.parse(text, place, known), before[0]
        else:
            document = parse_as(dialect, place, text)
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
        goes_on,
        import_string(_SECRETS)(decoded.text),
    )


def _failure(error: Exception) -> FormatError:
    return FormatError("not-imported", error=type(error).__name__)
