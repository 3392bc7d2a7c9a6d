"""A file's bytes read as a document: decoded, its dialect chosen, parsed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath

from memoryhub.formats import detect, plain
from memoryhub.formats.base import Document, FormatError
from memoryhub.formats.decoding import UTF8, decode


@dataclass(frozen=True, slots=True)
class Reading:
    """What a version of a file says; `document` is None where `error` says why."""

    path: PurePosixPath
    text: str
    encoding: str
    replaced: int
    format: str
    document: Document | None
    error: FormatError | None = None


def unreadable_version(path: str) -> Reading:
    """Return what a version says whose stored bytes are damaged: nothing."""
    error = FormatError("version-damaged")
    return Reading(PurePosixPath(path), "", UTF8, 0, plain.NAME, None, error)


def read_document(path: str, data: bytes) -> Reading:
    """Return what these bytes at this path say. Never fails."""
    decoded = decode(data)
    pure_path = PurePosixPath(path)
    format_ = detect(pure_path, decoded.text)
    document, error = None, None
    try:
        document = format_.parse(decoded.text)
    except FormatError as raised:
        error = raised
    return Reading(
        pure_path,
        decoded.text,
        decoded.encoding,
        decoded.replaced,
        format_.NAME,
        document,
        error,
    )
