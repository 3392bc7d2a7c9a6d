"""context-memory-optimizer's summary, its continuation message, and the saved task.

After the skill's Step 5 (L2, ③ and ④): its continuation is used word for word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from memoryhub.compaction.messages import Message

KEY_FILES = 8
TASK_LIMIT = 200

#: Sentences of each sort that a summary names, the newest of them.
_SENTENCES = 8
_SENTENCE = 240
#: Scan limit of a sentence: longer ones are output or data, not speech.
_LONGEST = 2_000
_LONGEST_PATH = 1_000
_ENDS = re.compile(r"\n|(?<=[.!?])\s|(?<=[。！？])")
_PENDING_WORDS = re.compile("todo|next|pending|follow up|remaining", re.IGNORECASE)
_DONE = re.compile(
    r"\b(?:done|complete[ds]?|finished|fixed|implemented|resolved|merged|added|created"
    r"|updated|removed|passed|works)\b|完成|已修复|已实现",
    re.IGNORECASE,
)
_ENDINGS = (".md", ".json", ".py", ".ts", ".js", ".rs", ".yaml", ".toml")
_TOKEN = re.compile(r"[^\s\"'`()\[\]{}<>,;|*=，。；：（）「」【】]+")
_ANALYSIS = re.compile(r"<analysis>.*?</analysis>", re.DOTALL)
_TAGS = re.compile(r"</?(?:summary|analysis)>")

CONTINUATION = (
    "The following is a summary of the earlier portion of this session.\n"
    "Continue directly from where the conversation left off.\n"
    "Do not acknowledge this summary. Do not recap. Do not ask questions.\n"
    "Resume the task immediately.\n"
)
_COMPLETED, _PENDING = "Completed", "Pending"
_FILES, _TASK = "Key files", "Current task"
_FIELD = re.compile(rf"- ({_COMPLETED}|{_PENDING}|{_FILES}|{_TASK}):[ \t]*(.*)")
#: Limit of bullets a summary carries over from earlier ones.
_CARRIED = 24
_EARLIER = 1_000


@dataclass(frozen=True, slots=True)
class Findings:
    """The content of a summary; sentences in their order, newest files first."""

    completed: tuple[str, ...] = ()
    pending: tuple[str, ...] = ()
    key_files: tuple[str, ...] = ()
    task: str = ""


def findings_of(messages: Sequence[Message], folder: str = "") -> Findings:
    """Return the findings in these messages, which are oldest first.

    `folder`: the session's working folder, against which relative paths count.
    """
    return Findings(
        completed=_newest(_sentences(messages, _DONE, "assistant")),
        pending=_newest(_sentences(messages, _PENDING_WORDS, "user", "assistant")),
        key_files=key_files(messages, folder),
        task=current_task(messages),
    )


def key_files(messages: Sequence[Message], folder: str = "") -> tuple[str, ...]:
    """Return the last eight files mentioned, the newest first.

    A file that is named by several paths counts once, as it was named last.
    """
    found: dict[str, str] = {}
    for path in (path for text in _newest_texts(messages) for path in _paths(text)):
        found.setdefault(_inside(path, folder), path)
        if len(found) == KEY_FILES:
            break
    return tuple(found.values())


def _inside(path: str, folder: str) -> str:
    """Return a path relative to a folder; as it is where it leads elsewhere."""
    inside = path.removeprefix(f"{folder.rstrip('/')}/") if folder else path
    return inside.removeprefix("./")


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
    closed, end, rest = text.rpartition("</analysis>")
    return _ANALYSIS.sub("", closed + end) + rest


def _newest(sentences_newest_first: Iterable[str]) -> tuple[str, ...]:
    """Return the newest distinct sentences, oldest first."""
    found: dict[str, None] = {}
    for sentence in sentences_newest_first:
        found[sentence] = None
        if len(found) == _SENTENCES:
            break
    return tuple(found)[::-1]


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
    return (block.text for block in blocks if "/" in block.text)


def _paths(text: str) -> Iterator[str]:
    """Yield the paths in a text, the last one first."""
    for token in reversed(_TOKEN.findall(text)):
        path = token.rstrip(".:!?").lstrip(":!?")
        path = path.lstrip(".") if path.startswith("...") else path
        is_path = "/" in path and len(path) <= _LONGEST_PATH
        if is_path and path.casefold().endswith(_ENDINGS):
            yield path


def summary_text(found: Findings) -> str:
    """Return the summary block; a missing finding is an empty bullet."""
    rows = [
        "<summary>",
        *_listed(_COMPLETED, found.completed),
        *_listed(_PENDING, found.pending),
        *_listed(_FILES, found.key_files),
        f"- {_TASK}: {found.task}".rstrip(),
        "</summary>",
    ]
    return "\n".join(rows)


def continuation_text(summary: str) -> str:
    """Return the message that replaces the compacted ones."""
    return f"{CONTINUATION}\nSummary:\n{summary}"


def is_continuation(message: Message) -> bool:
    """Return whether a message replaces messages compacted before."""
    if message.role == "summary":
        return True
    return message.role != "assistant" and message.text.startswith(CONTINUATION)


def carried_on(message: Message, found: Findings) -> Findings:
    """Return findings merged with those of an earlier summary, which come first.

    A summary of another form becomes a single completed item.
    """
    text = message.text
    if not text.startswith(CONTINUATION):
        earlier = flat(text)[:_EARLIER]
        return _with_earlier(found, [f"Earlier summary: {earlier}"], [], [])
    rows = _bullets(text)
    completed, pending, files = (
        rows.get(f, []) for f in (_COMPLETED, _PENDING, _FILES)
    )
    return _with_earlier(found, completed, pending, files)


def task_file(task: str, found: Findings, *, stamp: str, tokens: int) -> str:
    """Return the text of ``memories/context.md``: the task first, then other findings.

    The skill defines no form for it; `stamp` is the time of writing. NUL, which no file
    can hold, is replaced.
    """
    parts = [
        f"# Current Task\n\n{task or 'Not recorded.'}\n",
        *_section(_PENDING, found.pending),
        *_section(_FILES, found.key_files),
        *_section(_COMPLETED, found.completed),
        f"_Saved before compaction: {stamp} | Token estimate: {tokens}_\n",
    ]
    return "\n".join(parts).replace("\0", "\ufffd")


def _listed(title: str, rows: Sequence[str]) -> list[str]:
    return [f"- {title}:", *(f"  - {row}" for row in rows)]


def _section(title: str, rows: Sequence[str]) -> Iterator[str]:
    if rows:
        yield f"## {title}\n\n" + "".join(f"- {row}\n" for row in rows)


def _bullets(text: str) -> dict[str, list[str]]:
    """Return the nested bullets of a summary by the field above them."""
    found: dict[str, list[str]] = {}
    field = ""
    for line in text.partition("<summary>\n")[2].split("\n"):
        if title := _FIELD.fullmatch(line):
            field = title[1]
            found[field] = [flat(title[2])] if title[2] else []
        elif field and line.startswith("  - "):
            found[field].append(flat(line.removeprefix("  - ")))
    return found


def _with_earlier(
    found: Findings,
    completed: Iterable[str],
    pending: Iterable[str],
    files: Iterable[str],
) -> Findings:
    done = tuple(dict.fromkeys((*completed, *found.completed)))
    left = tuple(dict.fromkeys((*pending, *found.pending)))
    paths = tuple(dict.fromkeys((*found.key_files, *files)))
    return Findings(done[-_CARRIED:], left[-_CARRIED:], paths[:KEY_FILES], found.task)
