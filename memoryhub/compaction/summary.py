"""context-memory-optimizer's summary, its continuation message, and the saved task.

After the skill's Step 5 (L2, ③ and ④): its continuation is used word for word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from memoryhub.compaction.findings import KEY_FILES, Findings, flat
from memoryhub.compaction.messages import Message

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
