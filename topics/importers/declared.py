"""Topics that a file declares: front matter, task groups, a bank's brief, a folder.

Prose that mentions something declares nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import zip_longest
from typing import Literal, NamedTuple

from memoryhub.dialects.basic_memory import BasicNote
from memoryhub.dialects.memory_bank import MemoryBankFile
from memoryhub.dialects.memory_index import MemoryIndex
from memoryhub.dialects.raw_memories import RawMemories
from memoryhub.dialects.rollout_summary import RolloutSummary
from memoryhub.formats.base import Document, Lines
from memoryhub.formats.text import frontmatter
from memoryhub.formats.text.alignment import Key, key_of
from memoryhub.formats.text.decoding import storable
from memoryhub.formats.text.topic_names import Name, is_general, name_of
from memoryhub.journal.changes import Change
from memoryhub.journal.lifetimes import Fact, fold_aligned
from memoryhub.journal.models import Source
from memoryhub.values.identity import derive
from topics.models import Topic

#: group: of Codex tasks; folder: where a thread worked; tag: of front matter; relation:
#: to another note.
Kind = Literal["project", "group", "folder", "tag", "relation"]

_GROUP = re.compile(r"^# Task Group:[ \t]*(\S[^\n]*)$", re.MULTILINE)
_FOLDER = re.compile(r"\bcwd=([^\s;,)]+)")
_REMARK = re.compile(r"[ \t]*\([^()]*\)[ \t\r]*\Z")
_BRIEF = re.compile(
    r"#[ \t]+(?:project[ \t]+)?brief[ \t]*[:—–-][ \t]*(\S[^\n]*)", re.IGNORECASE
)
_PROJECT_FIELDS = ("project", "topic", "projekt", "proyecto", "projeto", "projet")
_TAG_FIELDS = ("tags", "topics")
_LONGEST = 80
_MOST_TAGS = 12


class Declared(NamedTuple):
    """A topic and the lines that are about it; `folder` is where the work is done."""

    kind: Kind
    name: str
    lines: Lines
    folder: str = ""


def declared_in(text: str, document: Document | None) -> tuple[Declared, ...]:
    """Return the topics that a file declares, those of fewest lines first."""
    found = [*_of_document(text, document), *_of_matter(text)]
    named = (one for one in found if _names(one.name))
    return tuple(sorted(named, key=_width))


def _names(name: str) -> bool:
    return len(name) <= _LONGEST and not is_general(name)


def _width(one: Declared) -> int:
    return one.lines.last - one.lines.first


def _of_document(text: str, document: Document | None) -> Iterator[Declared]:
    match document:
        case MemoryIndex():
            yield from _groups(text)
        case RolloutSummary(folder=folder) if folder:
            yield Declared("folder", _last(folder), _whole(text), folder)
        case RawMemories(threads=threads):
            for one in threads:
                if one.folder:
                    yield Declared("folder", _last(one.folder), one.lines, one.folder)
        case BasicNote(relations=relations):
            for relation in relations:
                yield Declared("relation", relation.target, relation.lines)
        case MemoryBankFile(role="projectbrief"):
            if brief := _BRIEF.match(text):
                yield Declared("project", brief[1].strip(), _whole(text))


def _groups(text: str) -> Iterator[Declared]:
    """Yield the groups of Codex's memory, each up to the next one."""
    heads = [*_GROUP.finditer(text)]
    line, counted = 1, 0
    for head, following in zip_longest(heads, heads[1:]):
        end = following.start() if following else len(text)
        line += text.count("\n", counted, head.start())
        counted = head.start()
        last = line + max(0, text.count("\n", counted, end) - 1)
        found = _FOLDER.search(text, counted, end)
        folder = found[1] if found else ""
        yield Declared("group", _group(head[1], folder), Lines(line, last), folder)


def _group(title: str, folder: str) -> str:
    """Return the name of a group: that of its folder, if the title begins with it."""
    name, place = _REMARK.sub("", title.strip()), _last(folder)
    is_of_place = place and name.casefold().startswith(place.casefold())
    return place if is_of_place else name


def _of_matter(text: str) -> Iterator[Declared]:
    if not text.startswith("---"):
        return
    matter, whole = frontmatter.split(text), _whole(text)
    for field in _PROJECT_FIELDS:
        if name := matter.get(field):
            yield Declared("project", name.strip("[]# "), whole)
    for field in _TAG_FIELDS:
        for name in matter.items(field)[:_MOST_TAGS]:
            yield Declared("tag", name.strip("[]# "), whole)


def _last(folder: str) -> str:
    return folder.replace("\\", "/").rstrip("/").rpartition("/")[2]


def _whole(text: str) -> Lines:
    return Lines(1, max(1, text.count("\n") + 1))


_SEPARATOR = "\t"


class DeclaredTopic(NamedTuple):
    """Content of a declared topic's source."""

    kind: str
    folder: str
    name: str

    @classmethod
    def of(cls, value: str) -> DeclaredTopic:
        kind, folder, name = value.split(_SEPARATOR, 2)
        return cls(kind, folder, name)


def fold_declared(change: Change) -> None:
    """Replace the topics that a file's revision before declared by its current ones."""
    declared = declared_in(change.text, change.document)
    facts = [_fact(change, one) for one in declared]
    fold_aligned(Source, change, facts, target_kind=Source.Target.TOPIC.value)


def id_of_named(workspace: bytes, name: Name) -> int:
    """Return the id of the topic of a name that has no file."""
    return derive(workspace, Topic.__name__, Topic.Kind.NAMED.value, name.key)


def _fact(change: Change, one: Declared) -> Fact:
    name, folder = storable(one.name), storable(one.folder)
    value = _SEPARATOR.join((one.kind, folder.replace(_SEPARATOR, " "), name))
    values = {
        "target_kind": Source.Target.TOPIC.value,
        "target_id": id_of_named(change.workspace.uuid, name_of(name)),
        "value": value,
    }
    text_key = key_of(value, "").text
    return Fact(Key(text_key, text_key), one.lines, values)
