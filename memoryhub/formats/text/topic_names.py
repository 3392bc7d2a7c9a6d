"""Names of topics: which words name a piece of work, and where a text names one.

Names are compared by their words, in one case and width: ``Studio-Shop`` is
``studio shop``. Files with general names, such as ``README``, name no topic.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

#: Folders whose undated notes are a topic each.
_FOLDER_NAMES = """
projects project topics topic workstreams notes proyectos temas projetos projekte themen
projets sujets notizen notas progetti temi progetti projekty tematy notatki проекты темы
заметки 项目 项目们 主题 專案 プロジェクト 프로젝트 주제
"""
TOPIC_FOLDERS = frozenset(_FOLDER_NAMES.split())
_GENERAL_NAMES = """
readme index home overview template templates changelog license contributing todo todos
task tasks backlog inbox ideas misc general notes note log logs diary journal memory
memories archive summary lessons learned lesson insights rules rule regeln reglas regras
règles правила people contacts user users preferences profile identity soul agents agent
tools skills heartbeat decisions decision decisiones decisões entscheidungen handoff
handoffs status progress plan plans roadmap glossary faq links resources references
session sessions daily weekly monthly report reports tagebuch raw new draft main default
memory-bank bank projects project topics topic context state setup config settings
test tests work home team question questions event events idea fact facts task-list
待办 任务 笔记 日志 总结 规则 メモ 日記 ルール 메모 규칙 заметки журнал дневник
"""
_GENERAL = frozenset(_GENERAL_NAMES.split())
_DATED = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)|\d{6,}")
_WORD = re.compile(r"[^\W_]+")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
#: Characters of a text in which names are looked for.
_REACH = 600
#: A single word names a topic only near the start of a text.
_FIRST_WORDS = 6
_LEAST_LETTERS, _MOST_WORDS = 3, 6
_SPELLINGS = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "ø": "o", "ł": "l", "æ": "ae"}
)


class Name(NamedTuple):
    """A name as its words; of unspaced scripts each run of characters is one."""

    words: tuple[str, ...]

    @property
    def key(self) -> str:
        """The name in the one form in which names are compared."""
        return " ".join(self.words)


def name_of(text: str) -> Name:
    """Return a text as a name; without words it names nothing."""
    return Name(tuple(_words(text[:_REACH])))


def is_general(text: str) -> bool:
    """Return whether a name names no topic: of a kind of file, or with a date."""
    words = name_of(text).words
    named = [word for word in words if not word.isdecimal()]
    return (
        not named
        or len(words) > _MOST_WORDS
        or all(word in _GENERAL for word in named)
        or len("".join(named)) < (2 if _UNSPACED.search(text) else _LEAST_LETTERS)
        or _DATED.search(text) is not None
    )


def spelled(stem: str, title: str) -> str:
    """Return a file's name as its title spells it: ``fluegel`` as ``Flügel``."""
    if _plain(stem) == _plain(title) and not title.isascii():
        return title
    return stem


class Names:
    """Index of topics by name, to find the first one in a text."""

    def __init__(self, topics: Mapping[Name, int]) -> None:
        self._by_first: dict[str, list[tuple[tuple[str, ...], int]]] = defaultdict(list)
        self._unspaced: list[tuple[str, int]] = []
        for name, topic_id in topics.items():
            if _UNSPACED.search(name.key):
                self._unspaced.append((name.key, topic_id))
            elif name.words:
                words = tuple(map(_stem, name.words))
                self._by_first[words[0]].append((words, topic_id))
        for named in self._by_first.values():
            named.sort(key=lambda one: (-len(one[0]), one))
        self._unspaced.sort(key=lambda one: (-len(one[0]), one))

    def first_in(self, text: str) -> int | None:
        """Return the topic that is named first in a text; the longest of several."""
        if not self._by_first and not self._unspaced:
            return None
        words = _words(text[:_REACH])
        found = self._in_words([_stem(word) for word in words])
        if found is None and self._unspaced and not text.isascii():
            joined = " ".join(words)
            found = next((i for key, i in self._unspaced if key in joined), None)
        return found

    def _in_words(self, words: Sequence[str]) -> int | None:
        for place, word in enumerate(words):
            for named, topic_id in self._by_first.get(word, ()):
                is_near = len(named) > 1 or place < _FIRST_WORDS
                if is_near and tuple(words[place : place + len(named)]) == named:
                    return topic_id
        return None


def _words(text: str) -> list[str]:
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    return _WORD.findall(text.casefold())


def _stem(word: str) -> str:
    """Return a word without the ending that a case gives it in Slavic languages."""
    return word[:-1] if len(word) > 5 and "а" <= word[0] <= "я" else word


def _plain(text: str) -> str:
    folded = name_of(text).key.translate(_SPELLINGS)
    bare = unicodedata.normalize("NFD", folded)
    return "".join(sign for sign in bare if not unicodedata.combining(sign))


def in_topic_folder(folders: Iterable[str]) -> bool:
    """Return whether one of these folders holds a note for each topic."""
    return any(folder.casefold() in TOPIC_FOLDERS for folder in folders)
