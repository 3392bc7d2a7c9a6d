"""Versions of files for pages: history of a path, and texts.

A path keeps its page when its file is deleted or moved.

A log only grows, so any loss of lines counts. A long-lived file, such as ``MEMORY.md``,
is edited: only a marked loss counts, and it holds until most of the lines are back.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import reduce
from operator import or_
from pathlib import PurePosixPath
from typing import NamedTuple
from unicodedata import normalize

from django.core.cache import cache
from django.db.models import F, OuterRef, Q, Subquery, Value
from django.db.models.functions import Coalesce, NullIf

from memoryhub.dialects.registry import by_name
from memoryhub.formats.base import FormatError
from memoryhub.formats.openclaw.memory_files import in_memory_folder, resolved
from memoryhub.formats.text.decoding import decode
from memoryhub.formats.text.diffing import split_text
from memoryhub.formats.text.source import split_sections
from memoryhub.journal.blobs import bytes_by_id
from memoryhub.journal.models import Blob, Revision, SourceFile, Tombstone, Workspace
from memoryhub.values.budgets import ENDLESS, Budget

#: Files without a dialect that hosts read at the start of each session.
_BOOTSTRAP = frozenset(
    {"SOUL.md", "TOOLS.md", "IDENTITY.md", "CLAUDE.md", "CLAUDE.local.md", "GEMINI.md"}
)
#: A loss of so many lines counts, and of fewer if they are a fifth of the file.
_MANY, _FEW, _SHARE = 20, 5, 5
#: Sections that are listed with their losses.
_SECTIONS = 8


class SectionLoss(NamedTuple):
    """Lines that a section lost and gained; its title is empty before any heading."""

    title: str
    lost: int
    gained: int
    is_gone: bool


def is_log(format_name: str) -> bool:
    """Return whether a dialect is that of a log, which only grows."""
    return by_name(format_name).append_only


def is_long_lived(path: str, format_name: str) -> bool:
    """Return whether an agent keeps a file for long: memory, roles, notes, topics."""
    lives_long = by_name(format_name).lives_long
    if lives_long is not None:
        return lives_long
    place = PurePosixPath(path)
    is_note = place.suffix.casefold() in (".md", ".markdown")
    return is_note and (place.name in _BOOTSTRAP or in_memory_folder(place))


def may_not_shrink(path: str, format_name: str) -> bool:
    """Return whether a marked loss of lines counts: long-lived files, and records."""
    return by_name(format_name).is_record or is_long_lived(path, format_name)


def lost_lines(before: str, after: str, *, log: bool) -> int:
    """Return the number of lines a file lost, 0 if it was merely edited.

    A log: more lines lost than gained, or more than half of all. Another file: the
    difference is many lines, a fifth of the file, or more than half of all. A reworded
    line counts as one lost and one gained.
    """
    lost = missing_lines(before, after)
    if not lost:
        return 0
    net = lost - missing_lines(after, before)
    total = _line_counts(before).total()
    if log:
        return lost if net > 0 or lost * 2 > total else 0
    is_marked = net >= _FEW and net * _SHARE >= total
    return lost if net >= _MANY or is_marked or net * 2 > total else 0


def is_still_lost(lines: int, before: str, after: str, *, log: bool) -> bool:
    """Return whether a loss of so many lines holds: until they, or most, are back."""
    missing = missing_lines(before, after)
    return missing > 0 if log else missing * 2 > lines


def count_lines(text: str) -> int:
    """Return the number of non-blank lines."""
    return _line_counts(text).total()


def missing_lines(before: str, after: str) -> int:
    """Return the number of non-blank lines of `before` missing in `after`."""
    if after.startswith(before):
        return 0
    return (_line_counts(before) - _line_counts(after)).total()


def section_losses(before: str, after: str) -> list[SectionLoss]:
    """Return the sections that lost lines, those with the greatest loss first.

    A line that another section has now is not lost.
    """
    old, new = _by_section(before), _by_section(after)
    left, come = _line_counts(after), _line_counts(before)
    found = []
    for title, lines in old.items():
        lost = (lines - left).total()
        gained = (new.get(title, Counter()) - come).total()
        if lost:
            found.append(SectionLoss(title, lost, gained, title not in new))
    found.sort(key=lambda one: -one.lost)
    return found[:_SECTIONS]


def _by_section(text: str) -> dict[str, Counter[str]]:
    found: dict[str, Counter[str]] = {}
    for section in split_sections(text):
        lines = found.setdefault(section.title, Counter())
        lines.update(_line_counts(section.source))
    return found


def _line_counts(text: str) -> Counter[str]:
    lines = (line.strip() for line in text.split("\n"))
    return Counter(line for line in lines if line)


#: Versions per page of a file's history.
HISTORY_SIZE = 50
#: Moves followed in a file's history; older ones are not shown.
_MOVES = 20
#: Limits of blame: versions, and their bytes in all.
BLAME_VERSIONS = 1_000
BLAME_BYTES = 12_000_000
#: Bytes of the versions whose lines are counted together; seconds for counting them.
_TOGETHER, _SECONDS = 8_000_000, 2.0
#: Versions of more bytes have no counts of changed lines in lists of many files.
_COUNTED_BYTES = 1_000_000
_COLUMNS = (
    "seq",
    "kind",
    "path",
    "moved_from",
    "recorded_at",
    "actor",
    "run__number",
    "blob_id",
    "blob__size",
    "blob__sha256",
    "blob__encoding",
)


@dataclass(frozen=True, slots=True)
class Version:
    """A version of a file; without a blob the file was deleted.

    `is_forgotten`: its bytes are gone; a tombstone has the reason.
    """

    seq: int
    kind: str
    path: str
    moved_from: str
    recorded_at: datetime
    actor: str
    run_number: int | None
    blob_id: int | None
    size: int | None
    sha256: str | None
    encoding: str | None

    @property
    def is_forgotten(self) -> bool:
        return self.encoding == Blob.Encoding.GONE


def forms_of(path: str) -> set[str]:
    """Return a path in the Unicode forms that disks use, and as it is."""
    return {path, normalize("NFC", path), normalize("NFD", path)}


def path_has(text: str) -> Q:
    """Return the condition that a path contains a text, in either Unicode form."""
    return reduce(or_, (Q(path__icontains=form) for form in forms_of(text)))


def file_at(workspace: Workspace, path: str) -> SourceFile | None:
    """Return the present file at a path in either Unicode form, else the last one.

    Where both forms are files it is the one of exactly this path.
    """
    rows = SourceFile.objects.filter(workspace=workspace, path__in=forms_of(path))
    return max(
        rows, key=lambda row: (row.present, row.path == path, row.seq), default=None
    )


def path_in(workspace: Workspace, asked: str) -> str:
    """Return the path by which a workspace has a file, whichever way it is named.

    A path that leads out of the workspace is returned as it is.
    """
    try:
        path = resolved(asked, workspace.root)
    except FormatError:
        path = asked
    for named in (asked, path):
        if (file := file_at(workspace, named)) and file.present:
            return file.path
    return path


def is_known(workspace: Workspace, path: str) -> bool:
    """Return whether a file ever existed at a path."""
    return Revision.objects.filter(workspace=workspace, path=path).exists()


def known_paths(workspace: Workspace, paths: Iterable[str]) -> set[str]:
    """Return the paths that have a page."""
    rows = Revision.objects.filter(workspace=workspace, path__in=list(paths))
    return set(rows.order_by().values_list("path", flat=True).distinct())


def versions_of(
    workspace: Workspace, path: str, *, below: int | None = None
) -> list[Version]:
    """Return the versions of a path, newest first, through moves to it.

    At most one more than a page; with `below` only those before that seq.
    """
    found: dict[int, Version] = {}
    places = [(path, below)]
    for _ in range(_MOVES):
        if not places:
            break
        place, limit = places.pop()
        for version in _versions_at(workspace, place, limit):
            if version.moved_from and version.seq not in found:
                places.append((version.moved_from, version.seq))
            found[version.seq] = version
    newest = sorted(found.values(), key=lambda version: -version.seq)
    return newest[: HISTORY_SIZE + 1]


def readable_versions(
    workspace: Workspace, path: str, until: int
) -> tuple[list[Version], bool]:
    """Return the readable versions up to a seq, oldest first, through moves.

    Limited to the newest with `BLAME_BYTES` together; the flag is true if there are
    more.
    """
    found: dict[int, Version] = {}
    place, limit, size = path, until + 1, 0
    for _ in range(_MOVES):
        moved = False
        for version in _versions_at(workspace, place, limit, BLAME_VERSIONS):
            found[version.seq] = version
            if moved := bool(version.moved_from):
                place, limit = version.moved_from, version.seq
                break
        if not moved or len(found) >= BLAME_VERSIONS:
            break
    kept: list[Version] = []
    for version in sorted(found.values(), key=lambda version: -version.seq):
        size += version.size or 0
        if kept and size > BLAME_BYTES:
            return kept[::-1], True
        if version.blob_id is not None and not version.is_forgotten:
            kept.append(version)
    return kept[::-1], len(found) >= BLAME_VERSIONS


def lines_of(versions: Sequence[Version]) -> list[list[str]]:
    """Return the lines of several versions; none for an unreadable one."""
    ids = [version.blob_id for version in versions if version.blob_id is not None]
    data = bytes_by_id(ids)
    return [split_text(decode(data.get(v.blob_id or 0, b"")).text) for v in versions]


def _versions_at(
    workspace: Workspace, path: str, below: int | None, most: int = HISTORY_SIZE + 1
) -> list[Version]:
    rows = Revision.objects.filter(workspace=workspace, path=path)
    if below is not None:
        rows = rows.filter(seq__lt=below)
    columns = rows.order_by("-seq").values_list(*_COLUMNS)[:most]
    return [Version(*row) for row in columns]


def version_at(
    workspace: Workspace, path: str, seq: int | None = None
) -> Version | None:
    """Return the newest version of a path at a seq, or now.

    The version of exactly that seq may have an earlier path of the file.
    """
    if seq is not None and (exact := _version_of(workspace, path, seq)):
        return exact
    below = None if seq is None else seq + 1
    versions = versions_of(workspace, path, below=below)
    return next((v for v in versions if v.blob_id is not None), None)


def _version_of(workspace: Workspace, path: str, seq: int) -> Version | None:
    """Return the version of a seq if its path is an earlier one of the file."""
    rows = Revision.objects.filter(workspace=workspace, seq=seq, blob__isnull=False)
    found = rows.exclude(path=path).values_list(*_COLUMNS).first()
    if found is None:
        return None
    version = Version(*found)
    return version if version.path in earlier_paths(workspace, path) else None


def earlier_paths(workspace: Workspace, path: str) -> set[str]:
    """Return the paths from which a file was moved, directly or in steps."""
    found: set[str] = set()
    last = [path]
    for _ in range(_MOVES):
        moves = Revision.objects.filter(
            workspace=workspace, kind=Revision.Kind.MOVED, path__in=last
        )
        last = [p for p in moves.values_list("moved_from", flat=True) if p not in found]
        if not last:
            break
        found.update(last)
    return found


def moved_to(workspace: Workspace, path: str) -> str:
    """Return the path to which the last file of a path was moved; empty if none."""
    rows = Revision.objects.filter(
        workspace=workspace, kind=Revision.Kind.MOVED, moved_from=path
    )
    return rows.order_by("-seq").values_list("path", flat=True).first() or ""


def newest_text(workspace: Workspace, path: str) -> str:
    """Return the text of the present file at a path; empty if there is none."""
    file = file_at(workspace, path)
    if file is None or not file.present or file.blob_id is None:
        return ""
    data = bytes_by_id([file.blob_id])
    return decode(data.get(file.blob_id, b"")).text


def text_of(version: Version) -> str:
    """Return the decoded text of a version; empty if unreadable."""
    data = bytes_of(version)
    return decode(data).text


def bytes_of(version: Version) -> bytes:
    """Return the bytes of a version; empty if deleted, damaged or gone."""
    if version.blob_id is None:
        return b""
    return bytes_by_id([version.blob_id]).get(version.blob_id, b"")


#: A version and its predecessor, if any.
Pair = tuple[Version, Version | None]


def line_changes(
    pairs: Sequence[Pair], budget: Budget = ENDLESS
) -> dict[int, tuple[int, int]]:
    """Count the lines added and removed by each version, by seq.

    Moved lines are not counted. Results are cached without expiry, as versions never
    change; the rest takes a query per `_TOGETHER` bytes. Versions that are not reached
    within the budget are left out.
    """
    keys = {_key_of(pair): pair for pair in pairs}
    counted: dict[str, tuple[int, int]] = cache.get_many(keys)
    left = [pair for key, pair in keys.items() if key not in counted]
    for batch in _batches(left):
        if budget.is_spent:
            break
        found = _counted(batch)
        cache.set_many(found, timeout=None)
        counted |= found
    return {p[0].seq: counted[_key_of(p)] for p in pairs if _key_of(p) in counted}


def _key_of(pair: Pair) -> str:
    new, old = pair
    return f"lines:{old.sha256 if old else ''}:{new.sha256}"


def _batches(pairs: Iterable[Pair]) -> Iterator[list[Pair]]:
    """Split pairs of versions into batches of about `_TOGETHER` bytes."""
    batch: list[Pair] = []
    size = 0
    for new, old in pairs:
        more = (new.size or 0) + ((old.size or 0) if old else 0)
        if batch and size + more > _TOGETHER:
            yield batch
            batch, size = [], 0
        batch.append((new, old))
        size += more
    if batch:
        yield batch


def _counted(pairs: Sequence[Pair]) -> dict[str, tuple[int, int]]:
    """Return the lines that each version added and removed, by cache key."""
    versions = {v.blob_id: v for pair in pairs for v in pair if v and v.blob_id}
    lines = lines_of(list(versions.values()))
    counters: dict[int | None, Counter[str]] = {}
    counters.update(zip(versions, map(Counter, lines), strict=True))
    counted = {}
    for new, old in pairs:
        before = counters[old.blob_id] if old else Counter()
        after = counters[new.blob_id]
        counts = (after - before).total(), (before - after).total()
        counted[_key_of((new, old))] = counts
    return counted


def changes_of(workspace: Workspace, seqs: Iterable[int]) -> dict[int, tuple[int, int]]:
    """Return the lines added and removed by revisions, by seq, in few queries.

    Without deleted files, very large ones, those whose bytes are gone, and those not
    reached within `_SECONDS`.
    """
    earlier = Revision.objects.filter(
        workspace=workspace, path=OuterRef("from"), seq__lt=OuterRef("seq")
    )
    rows = Revision.objects.filter(workspace=workspace, seq__in=list(seqs)).annotate(
        **{"from": Coalesce(NullIf(F("moved_from"), Value("")), F("path"))}
    )
    before = Subquery(earlier.order_by("-seq").values("seq")[:1])
    steps = dict(rows.annotate(before=before).values_list("seq", "before"))
    versions = _by_seq(workspace, {*steps, *filter(None, steps.values())})
    pairs = [
        (versions[seq], versions.get(old) if old is not None else None)
        for seq, old in steps.items()
        if seq in versions
    ]
    return line_changes(pairs, Budget.of(_SECONDS))


def losses_of(
    workspace: Workspace, steps: Sequence[tuple[int, int]]
) -> list[list[SectionLoss]]:
    """Return the lines that sections lost from one seq to another, for several pairs.

    Cached without expiry; the rest takes two queries.
    """
    versions = _by_seq(workspace, {seq for step in steps for seq in step})
    pairs = [(versions.get(old), versions.get(new)) for old, new in steps]
    keys = [f"lost:{a and a.sha256}:{b and b.sha256}" for a, b in pairs]
    known: dict[str, list[SectionLoss]] = cache.get_many(keys)
    left = {k: (a, b) for k, (a, b) in zip(keys, pairs, strict=True) if a and b}
    left = {key: pair for key, pair in left.items() if key not in known}
    texts = bytes_by_id(
        [v.blob_id for pair in left.values() for v in pair if v.blob_id]
    )
    for key, pair in left.items():
        before, after = (decode(texts.get(v.blob_id or 0, b"")).text for v in pair)
        known[key] = section_losses(before, after)
        cache.set(key, known[key], timeout=None)
    return [known.get(key, []) for key in keys]


def versions_at(workspace: Workspace, seqs: Iterable[int]) -> dict[int, Version]:
    """Return the versions with these seqs, forgotten ones too."""
    rows = Revision.objects.filter(workspace=workspace, seq__in=list(seqs))
    return {row[0]: Version(*row) for row in rows.values_list(*_COLUMNS)}


def no_version(path: str) -> Version:
    """Return the state of a file before its first version."""
    zero = datetime.fromtimestamp(0, UTC)
    return Version(0, "", path, "", zero, "", None, None, None, None, None)


def _by_seq(workspace: Workspace, seqs: Iterable[int]) -> dict[int, Version]:
    """Return the readable versions with these seqs, without very large ones."""
    rows = Revision.objects.filter(workspace=workspace, seq__in=list(seqs))
    rows = rows.filter(blob__size__lte=_COUNTED_BYTES)
    found = (Version(*row) for row in rows.values_list(*_COLUMNS))
    return {v.seq: v for v in found if not v.is_forgotten}


def tombstone_of(workspace_id: int, version: Version) -> Tombstone | None:
    """Return the newest tombstone of a version whose bytes are gone.

    None for an intact version, including one newer than a redaction and equal to its
    result.
    """
    rows = Tombstone.objects.filter(workspace=workspace_id).order_by("-id")
    redacted = Q(blob=version.blob_id, at__gte=version.recorded_at)
    found = rows.filter(redacted | Q(sha256=version.sha256, blob__encoding="gone"))
    return found.first() if version.blob_id is not None else None
