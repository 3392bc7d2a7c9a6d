"""context-memory-optimizer's levels of compaction over a session's messages.

L1 trims tool outputs after every call: those above 2,000 characters keep their last
500, files read above 3,000 their key paragraphs, and all but the eight newest records
one line. L2 replaces all but the newest messages by a summary, L4 is L1
alone while the breaker is open, L5 drops the oldest turns. L3 names the files to read
again: the index, the saved task, then up to five key files at 1,000 tokens each.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, islice
from typing import Literal

from memoryhub.compaction.messages import (
    Block,
    Measure,
    Message,
    clean_starts,
    message_tokens,
    session_tokens,
    text_tokens,
    whole_pairs,
)
from memoryhub.compaction.summary import (
    Findings,
    carried_on,
    conclusion,
    continuation_text,
    findings_of,
    is_continuation,
    summary_text,
)
from memoryhub.values.limits import RESTORED_FILE_TOKENS
from memoryhub.values.tokens import SEED_CHARACTERS

RECORDS_KEPT = 8
OUTPUT_LIMIT = 2_000
TAIL = 500
FILE_LIMIT = 3_000

#: Of a file: characters in all, and of one paragraph.
_FILE_KEPT = 2_000
_PARAGRAPH = 500
_LINE = 160
_PATH_LIMIT = 300
_READERS = frozenset(
    {"read", "read_file", "readfile", "view", "view_file", "open_file", "cat"}
    | {"fs_read", "notebookread", "memory_get"}
)
_PATH_KEYS = ("path", "file_path", "filePath", "filename", "file", "notebook_path")
#: Arguments beyond this are no file's name alone.
_INPUT_LIMIT = 20_000
_WRONG = re.compile(
    r"\b(?:error|failed|failure|exception|traceback|fatal|panic)\b", re.IGNORECASE
)
_PARAGRAPH_END = re.compile(r"\n[ \t\r]*\n")
#: How key paragraphs begin, behind the line numbers that readers put before them.
_KEY = re.compile(
    r"\s*(?:\d+[→\t:] ?)?\s*(?:#{1,6} |//+ |/\*|def |class |async |func |fn |pub |impl "
    r"|struct |enum |trait |type |interface |export |import |from |const |public )"
)
_MARKED = re.compile(r"\b(?:TODO|FIXME|NOTE|IMPORTANT|WARNING)\b")


def trim(messages: Sequence[Message]) -> tuple[tuple[Message, ...], int]:
    """Return messages with shortened tool outputs, and how many; idempotent."""
    uses = {use.id: use for message in messages for use in message.uses}
    older = sum(len(message.results) for message in messages) - RECORDS_KEPT
    cut = 0
    done: list[Message] = []
    for message in messages:
        blocks = list(message.blocks)
        for at, block in enumerate(message.blocks):
            if block.kind == "result":
                output = _trimmed_output(block, uses, is_older=older > 0)
                older -= 1
                if len(output) < len(block.text):
                    blocks[at] = replace(block, text=output)
                    cut += 1
        done.append(replace(message, blocks=tuple(blocks)))
    return tuple(done), cut


def _trimmed_output(block: Block, uses: dict[str, Block], *, is_older: bool) -> str:
    if is_older:
        return _one_line(block)
    path = _path_read(block, uses)
    return _key_paragraphs(block.text, path) if path else _tail(block)


def _one_line(result: Block) -> str:
    full = result.text
    flat = " ".join(full.split()) if len(full) <= 2 * _LINE else ""
    if full and flat and len(flat) <= _LINE:
        return flat
    return f"[trimmed — {_conclusion(result, full)}]"


def _tail(result: Block) -> str:
    full = result.text
    if len(full) <= OUTPUT_LIMIT:
        return full
    conclusion = _conclusion(result, full[:-TAIL])
    return f"{full[-TAIL:]}\n[trimmed — {conclusion}, the last {TAIL} are above]"


def _conclusion(result: Block, dropped: str) -> str:
    """Return a line with a tool's outcome, and an error in the dropped part."""
    name = result.name[:60] or "the tool"
    ended = "failed" if result.is_error else "ended"
    size = f"{len(result.text):,} characters"
    wrong = _line_with(_WRONG, dropped)
    full = f" (“{wrong}”)" if wrong else ""
    return f"{' '.join(name.split())} {ended}{full} with {size}"


def _line_with(words: re.Pattern[str], text: str) -> str:
    """Return the first line with one of the given words, cut around it."""
    found = words.search(text)
    if found is None:
        return ""
    start = max(text.rfind("\n", 0, found.start()) + 1, found.start() - _LINE // 2)
    line = text[start : start + _LINE].partition("\n")[0]
    return " ".join(line.split())


def _path_read(result: Block, uses: dict[str, Block]) -> str:
    """Return the path of the file that a tool read; empty for any other tool."""
    use = uses.get(result.id)
    if use is None or use.name.casefold() not in _READERS:
        return ""
    try:
        given = json.loads(use.text) if len(use.text) <= _INPUT_LIMIT else None
    except (ValueError, RecursionError):
        return ""
    if not isinstance(given, dict):
        return ""
    paths = (given[key] for key in _PATH_KEYS if isinstance(given.get(key), str))
    path = " ".join(next(paths, "").split())
    return path if len(path) <= _PATH_LIMIT else ""


def _key_paragraphs(text: str, path: str) -> str:
    if len(text) <= FILE_LIMIT:
        return text
    kept = "\n\n".join(_chosen(text))
    return f"{kept}\n[trimmed — full content at {path}]"


def _chosen(text: str) -> Iterator[str]:
    """Yield the first paragraph and other key paragraphs, up to the limit."""
    left = _FILE_KEPT
    for number, paragraph in enumerate(_PARAGRAPH_END.split(text)):
        cut = paragraph.strip("\r\n")[:_PARAGRAPH]
        is_key = number == 0 or _KEY.match(cut) or _MARKED.search(cut)
        if cut.strip() and is_key and len(cut) <= left:
            left -= len(cut) + 2
            yield cut


Level = Literal["auto", "L1", "L2", "L3", "L4", "L5"]
#: A step, or the reason why none was taken.
Step = Literal[
    "trimmed",
    "summarised",
    "breaker-open",
    "nothing-to-summarise",
    "summary-too-long",
    "turns-dropped",
    "still-too-large",
    "prepare",
    "not-due",
]

#: Newest messages that L2 keeps, and turns that L5 drops at a time.
MESSAGES_KEPT = 4
TURNS_DROPPED = 2

INDEX = "MEMORY.md"
TASK_FILE = "memories/context.md"
FILES = 5


@dataclass(frozen=True, slots=True)
class Compacted:
    """Messages after compaction, and the steps that led to them.

    Summary and continuation are empty where L2 did nothing, `conclusion` where L5
    did not. `findings` are of the messages before, in any case. `done` has each step,
    taken or not, and the number of messages or outputs it affected.
    """

    before: tuple[Message, ...]
    messages: tuple[Message, ...]
    findings: Findings
    summary: str = ""
    continuation: str = ""
    conclusion: str = ""
    done: tuple[tuple[Step, int], ...] = ()
    measure: Measure = len

    @property
    def tokens_before(self) -> int:
        return session_tokens(self.before, self.measure)

    @property
    def tokens_after(self) -> int:
        return session_tokens(self.messages, self.measure)

    def took(self, step: Step) -> bool:
        """Return whether a step was taken, for at least one message or output."""
        return any(one == step and count for one, count in self.done)

    def noting(self, step: Step, count: int = 0) -> Compacted:
        """Return a copy with one more step recorded."""
        return replace(self, done=(*self.done, (step, count)))


def compacted(
    messages: Sequence[Message],
    level: Level = "auto",
    window: int = 200_000,
    *,
    breaker_open: bool = False,
    folder: str = "",
) -> Compacted:
    """Compact a session by one level, or by those that are due.

    `folder` is the session's working folder, empty if unknown.
    The result is never larger than before, and keeps the newest messages.
    """
    start = Compacted(tuple(messages), tuple(messages), _found(messages, folder))
    match level:
        case "auto":
            return _due(start, window, breaker_open)
        case "L1":
            return _trimmed(start)
        case "L2":
            return _broken(start) if breaker_open else _summarised(start)
        case "L3":
            return start
        case "L4":
            return _broken(start)
        case "L5":
            return _emergency(start, window)


def _found(messages: Sequence[Message], folder: str) -> Findings:
    """Return the findings of messages, merged with those of an earlier summary."""
    first, own = _stretches(messages)
    found = findings_of(messages[own:], folder)
    return carried_on(messages[first], found) if own > first else found


def _stretches(messages: Sequence[Message]) -> tuple[int, int]:
    """Return the indexes of an earlier summary and of the first message after it.

    Both are behind the host's instructions; they are equal if there is no summary.
    """
    first = 0
    while first < len(messages) and messages[first].role == "system":
        if is_continuation(messages[first]):
            break
        first += 1
    own = first + (first < len(messages) and is_continuation(messages[first]))
    return first, own


def _due(state: Compacted, window: int, breaker_open: bool) -> Compacted:
    """Take the steps due: L2 is prepared at three fifths, due at three quarters."""
    trimmed = _trimmed(state)
    tokens = trimmed.tokens_after
    if tokens <= window * 3 // 5:
        return trimmed
    if tokens <= window * 3 // 4:
        return trimmed.noting("prepare", tokens)
    after = _broken(state) if breaker_open else _trimmed(_summarised(state))
    if after.tokens_after > window:
        after = _emergency(after, window)
    return after


def _trimmed(state: Compacted) -> Compacted:
    messages, outputs = trim(state.messages)
    return replace(state.noting("trimmed", outputs), messages=messages)


def _broken(state: Compacted) -> Compacted:
    return _trimmed(state.noting("breaker-open"))


def _summarised(state: Compacted) -> Compacted:
    """Replace older messages by a summary, if that makes the session smaller."""
    messages = state.messages
    first, own = _stretches(messages)
    newest = max(len(messages) - MESSAGES_KEPT, own)
    kept = max(whole_pairs(messages, newest), own)
    if kept == own:
        return state.noting("nothing-to-summarise")
    summary = summary_text(state.findings)
    done = Message("summary", (Block("text", continuation_text(summary)),))
    after = (*messages[:first], done, *messages[kept:])
    if session_tokens(after) >= session_tokens(messages):
        return state.noting("summary-too-long")
    return replace(
        state.noting("summarised", kept - own),
        messages=after,
        summary=summary,
        continuation=done.text,
    )


def _emergency(state: Compacted, window: int) -> Compacted:
    """Drop the two oldest turns repeatedly until the rest fits the window.

    The newest turn stays, as do the host's instructions and a summary.
    """
    messages = state.messages
    _, own = _stretches(messages)
    clean = clean_starts(messages)
    later = range(own + 1, len(messages))
    asked = (at for at in later if messages[at].role == "user" and messages[at].text)
    starts = [own, *(at for at in asked if clean[at])]
    sizes = list(accumulate(map(message_tokens, messages), initial=0))
    dropped = 0
    while dropped + 1 < len(starts):
        dropped = min(dropped + TURNS_DROPPED, len(starts) - 1)
        if sizes[-1] - sizes[starts[dropped]] + sizes[own] <= window:
            break
    after = (*messages[:own], *messages[starts[dropped] :])
    done = replace(
        state.noting("turns-dropped", dropped),
        messages=after,
        conclusion=conclusion(state.before),
    )
    return done.noting("still-too-large") if done.tokens_after > window else done


def restore_order(
    key_files: Iterable[str], task_file: str = TASK_FILE
) -> tuple[tuple[str, int | None], ...]:
    """Return the files to read again, in order, each with its limit of tokens."""
    first = (INDEX, task_file)
    others = (path for path in key_files if path.removeprefix("./") not in first)
    files = ((path, RESTORED_FILE_TOKENS) for path in islice(others, FILES))
    return (*((path, None) for path in first), *files)


def cut_to(text: str, limit: int | None) -> str:
    """Return the part of a text within a limit of tokens."""
    if limit is None or text_tokens(text) <= limit:
        return text
    return text[: limit * SEED_CHARACTERS - 1]
