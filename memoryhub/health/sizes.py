"""Files and sections too large to be restored, or duplicated."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b

from django.core.cache import cache

from memoryhub.dialects.registry import by_name
from memoryhub.formats.text.decoding import decode
from memoryhub.formats.text.source import split_sections
from memoryhub.journal.blobs import bytes_by_id
from memoryhub.values.limits import RESTORED_FILE_TOKENS
from memoryhub.values.tokens import seed

_FILES = 300
_FILE_SIZE = 400_000
#: A section of fewer characters is not worth a row.
_SMALL = 200
_ROWS = 50


@dataclass(frozen=True, slots=True)
class HealthFile:
    """A present file, with the columns that health needs."""

    path: str
    format: str
    tokens: int
    blob: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Section:
    """A section in a file."""

    path: str
    title: str
    line: int
    tokens: int


@dataclass(frozen=True, slots=True)
class Sizes:
    """Sections that alone exceed the limit for restoring a file, and equal ones."""

    oversized: tuple[Section, ...] = ()
    duplicated: tuple[tuple[Section, ...], ...] = ()


#: Cached values of a section: title, line, tokens, and a digest of its words.
_Kept = tuple[str, int, int, str]


def sizes_of(name: str, files: Iterable[HealthFile]) -> Sizes:
    """Return the oversized and duplicated sections of the files agents read whole.

    Parsed sections are cached under the workspace's name: one query for the files
    changed since the last call.
    """
    read = [file for file in files if by_name(file.format).read_whole]
    read = sorted(read, key=lambda file: -file.tokens)[:_FILES]
    sections = _sections(name, read)
    same: dict[str, list[Section]] = defaultdict(list)
    for file in sorted(read, key=lambda file: file.path):
        for title, line, tokens, words in sections.get(file.sha256, ()):
            same[words].append(Section(file.path, title, line, tokens))
    found = [one for equal in same.values() for one in equal]
    large = [one for one in found if one.tokens > RESTORED_FILE_TOKENS]
    large.sort(key=lambda one: (-one.tokens, one.path, one.line))
    repeated = [tuple(equal) for equal in same.values() if len(equal) > 1]
    repeated.sort(key=lambda equal: -equal[0].tokens * len(equal))
    return Sizes(tuple(large[:_ROWS]), tuple(repeated[:_ROWS]))


def _sections(name: str, files: Iterable[HealthFile]) -> dict[str, tuple[_Kept, ...]]:
    """Return the sections of files by the hash of the file; parsed ones are cached."""
    key = f"sections:{name}"
    before: dict[str, tuple[_Kept, ...]] = cache.get(key, {})
    blobs = {file.sha256: file.blob for file in files}
    found = {digest: before[digest] for digest in blobs if digest in before}
    left = {blob: digest for digest, blob in blobs.items() if digest not in found}
    for blob, data in bytes_by_id(left).items():
        text = decode(data).text[:_FILE_SIZE]
        found[left[blob]] = tuple(_large_sections(text))
    if left:
        cache.set(key, found, timeout=None)
    return found


def _large_sections(text: str) -> Iterator[_Kept]:
    for section in split_sections(text):
        words = " ".join(section.body.split())
        if len(words) < _SMALL:
            continue
        digest = blake2b(words.casefold().encode(), digest_size=12).hexdigest()
        tokens = seed(len(section.source))
        yield section.title, section.first_line, tokens, digest
