"""context-memory-optimizer's findings in a session before its messages are dropped.

Pending work, important files, finished work, and the task at hand.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from memoryhub.compaction.messages import Message, block_texts

KEY_FILES = 8
TASK_LIMIT = 200

#: Sentences of each sort that a summary names, the newest of them.
_SENTENCES = 8
_SENTENCE = 240
#: Scan limit of a sentence: longer ones are output or data, not speech.
_LONGEST = 2_000
_LONGEST_PATH = 1_000
_ENDS = re.compile(r"\n|(?<=[.!?])\s|(?<=[。！？])")
_PENDING = re.compile("todo|next|pending|follow up|remaining", re.IGNORECASE)
_DONE = re.compile(
    r"\b(?:done|complete[ds]?|finished|fixed|implemented|resolved|merged|added|created"
    r"|updated|removed|passed|works)\b|完成|已修复|已实现",
    re.IGNORECASE,
)
_ENDINGS = (".md", ".json", ".py", ".ts", ".js", ".rs", ".yaml", ".toml")
_TOKEN = re.compile(r"[^\s\"'`()\[\]{}<>,;|*=，。；：（）「」【】]+")
_ANALYSIS, _ANALYSIS_END = "<analysis>", "</analysis>"
_TAGS = re.compile(r"</?(?:summary|analysis)>")


@dataclass(frozen=True, slots=True)
class Findings:
    """The content of a summary; sentences in their order, newest files first."""

    completed: tuple[str, ...] = ()
    pending: tuple[str, ...] = ()
    key_files: tuple[str, ...] = ()
    task: str = ""


def findings_of(messages: Sequence[Message]) -> Findings:
    """Return the findings in these messages, which are oldest first."""
    return Findings(
        completed=_newest(_sentences(messages, _DONE, "assistant")),
        pending=_newest(_sentences(messages, _PENDING, "user", "assistant")),
        key_files=key_files(messages),
        task=current_task(messages),
    )


def key_files(messages: Sequence[Message]) -> tuple[str, ...]:
    """Return the last eight paths mentioned, the newest first."""
    found = (path for text in _newest_texts(messages) for path in _paths(text))
    return _first_distinct(found, KEY_FILES)


def current_task(messages: Sequence[Message]) -> str:
    """Return the first 200 characters of the newest message with text."""
    said = (flat(message.text) for message in reversed(messages))
    return next((text for text in said if text), "")[:TASK_LIMIT]


def conclusion(messages: Sequence[Message], limit: int = 1_000) -> str:
    """Return the last paragraph of the assistant's last text."""
    texts = (m.text for m in reversed(messages) if m.role == "assistant")
    said = next((text.strip() for text in texts if text.strip()), "")
    return without_analysis(said).strip().rpartition("\n\n")[2].strip()[-limit:]


def flat(text: str) -> str:
    """Return a text in one line, without tags that could open or close a summary."""
    return " ".join(_TAGS.sub(" ", without_analysis(text)).split())


def without_analysis(text: str) -> str:
    """Return a text without its ``<analysis>`` blocks; one left open stays."""
    kept: list[str] = []
    start = 0
    while (opened := text.find(_ANALYSIS, start)) >= 0:
        closed = text.find(_ANALYSIS_END, opened)
        if closed < 0:
            break
        kept.append(text[start:opened])
        start = closed + len(_ANALYSIS_END)
    return "".join(kept) + text[start:]


def _newest(sentences_newest_first: Iterable[str]) -> tuple[str, ...]:
    return _first_distinct(sentences_newest_first, _SENTENCES)[::-1]


def _first_distinct(values: Iterable[str], count: int) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for value in values:
        found[value] = None
        if len(found) == count:
            break
    return tuple(found)


def _sentences(
    messages: Sequence[Message], words: re.Pattern[str], *roles: str
) -> Iterator[str]:
    """Yield the sentences with one of the given words, the newest first."""
    for message in reversed(messages):
        text = message.text if message.role in roles else ""
        if words.search(text):
            said = _ENDS.split(_TAGS.sub("\n", without_analysis(text)))
            found = (one[:_LONGEST] for one in reversed(said))
            yield from (_cut(one) for one in found if words.search(one))


def _cut(sentence: str) -> str:
    flat = " ".join(sentence.split()).lstrip("-*•# ")
    return flat if len(flat) <= _SENTENCE else f"{flat[: _SENTENCE - 1]}…"


def _newest_texts(messages: Sequence[Message]) -> Iterator[str]:
    blocks = chain.from_iterable(reversed(m.blocks) for m in reversed(messages))
    return (said for block in blocks if "/" in (said := block_texts(block)[1]))


def _paths(text: str) -> Iterator[str]:
    """Yield the paths in a text, the last one first."""
    for token in reversed(_TOKEN.findall(text)):
        path = token.strip(".:!?")
        is_path = "/" in path and len(path) <= _LONGEST_PATH
        if is_path and path.casefold().endswith(_ENDINGS):
            yield path
