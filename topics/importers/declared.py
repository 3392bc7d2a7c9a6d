"""Importer of the topics that files declare, each at its lines."""

from __future__ import annotations

from typing import NamedTuple

from memoryhub.formats.declared import Declared, declared_in
from memoryhub.formats.text.alignment import Key, key_of
from memoryhub.formats.text.decoding import storable
from memoryhub.formats.text.topic_names import Name, name_of
from memoryhub.journal.changes import Change
from memoryhub.journal.lifetimes import Fact, fold_aligned
from memoryhub.journal.models import Source
from memoryhub.values.identity import derive
from topics.models import Topic

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
