"""Files and sections too large to be restored, or duplicated."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b

from django.core.cache import cache

from memoryhub.formats.text.decoding import decode
from memoryhub.formats.text.source import split_sections
from memoryhub.journal.blobs import bytes_by_id
from memoryhub.values.limits import RESTORED_FILE_TOKENS
from memoryhub.values.tokens import seed

#: Formats an agent reads whole; logs and transcripts are searched instead.
_READ_WHOLE = frozenset(
    {"topic_context", "project_notes", "active_context", "memory_index", "plain"}
    | {"decision_log", "memory_bank", "auto_memory", "agent_roles"}
)
_FILES = 300
_FILE_SIZE = 400_000
#: A section of fewer characters is not worth a row.
_SMALL = 200
_ROWS = 50

#: Input of a file: path, format, tokens, blob, sha256.
FileFacts = tuple[str, str, int, int, str]


@dataclass(frozen=True, slots=True)
class Place:
    """A section in a file."""

    path: str
    title: str
    line: int


@dataclass(frozen=True, slots=True)
class Oversized:
    """A section that alone exceeds the limit for restoring a file."""

    place: Place
    tokens: int


@dataclass(frozen=True, slots=True)
class Duplicated:
    """A section found verbatim in several places."""

    places: tuple[Place, ...]
    tokens: int


@dataclass(frozen=True, slots=True)
class Sizes:
    """Oversized and duplicated sections."""

    oversized: tuple[Oversized, ...] = ()
    duplicated: tuple[Duplicated, ...] = ()


#: Cached values of a section: title, line, tokens, and a digest of its words.
_Kept = tuple[str, int, int, str]


def sizes_of(name: str, files: Iterable[FileFacts]) -> Sizes:
    """Return the oversized and duplicated sections of the files agents read whole.

    Parsed sections are cached under the workspace's name.

    One query for the files changed since the last call.
    """
    read = [file for file in files if file[1] in _READ_WHOLE]
    read = sorted(read, key=lambda file: -file[2])[:_FILES]
    sections = _sections(name, read)
    oversized: list[Oversized] = []
    same: dict[str, list[tuple[Place, int]]] = defaultdict(list)
    for path, *_, digest in sorted(read):
        for title, line, tokens, words in sections.get(digest, ()):
            place = Place(path, title, line)
            same[words].append((place, tokens))
            if tokens > RESTORED_FILE_TOKENS:
                oversized.append(Oversized(place, tokens))
    oversized.sort(key=lambda one: -one.tokens)
    repeated = [found for found in same.values() if len(found) > 1]
    duplicated = [Duplicated(tuple(p for p, _ in f), f[0][1]) for f in repeated]
    duplicated.sort(key=lambda one: -one.tokens * len(one.places))
    return Sizes(tuple(oversized[:_ROWS]), tuple(duplicated[:_ROWS]))


def _sections(name: str, files: Iterable[FileFacts]) -> dict[str, tuple[_Kept, ...]]:
    """Return the sections of files by the hash of the file; parsed ones are cached."""
    key = f"sections:{name}"
    before: dict[str, tuple[_Kept, ...]] = cache.get(key, {})
    blobs = {file[4]: file[3] for file in files}
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
