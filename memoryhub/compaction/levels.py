"""context-memory-optimizer's levels of compaction over a session's messages.

L1 trims tool outputs, L2 replaces all but the newest messages by a summary, L4 is L1
alone while the breaker is open, L5 drops the oldest turns. L3 names the files to read
again: the index, the saved task, then up to five key files at 1,000 tokens each.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, islice
from typing import Literal

from memoryhub.compaction.messages import (
    Measure,
    Message,
    Text,
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
from memoryhub.compaction.trimming import trim
from memoryhub.values.limits import (
    RESTORED_FILE_TOKENS,
    SESSION_COMPACT,
    SESSION_PREPARE,
)
from memoryhub.values.tokens import SEED_CHARACTERS

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
class Thresholds:
    """Token limits from which L2 is prepared, is due, and no longer suffices."""

    prepare: int = SESSION_PREPARE
    compact: int = SESSION_COMPACT
    window: int = 200_000

    @classmethod
    def of_window(cls, window: int) -> Thresholds:
        """Return the skill's thresholds, scaled to another window."""
        return cls(window * 3 // 5, window * 3 // 4, window)


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
    thresholds: Thresholds | None = None,
    *,
    breaker_open: bool = False,
    folder: str = "",
) -> Compacted:
    """Compact a session by one level, or by those that are due.

    `folder` is the session's working folder, empty if unknown.
    The result is never larger than before, and keeps the newest messages.
    """
    limits = thresholds or Thresholds()
    start = Compacted(tuple(messages), tuple(messages), _found(messages, folder))
    match level:
        case "auto":
            return _due(start, limits, breaker_open)
        case "L1":
            return _trimmed(start)
        case "L2":
            return _broken(start) if breaker_open else _summarised(start)
        case "L3":
            return start
        case "L4":
            return _broken(start)
        case "L5":
            return _emergency(start, limits.window)


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


def _due(state: Compacted, limits: Thresholds, breaker_open: bool) -> Compacted:
    trimmed = _trimmed(state)
    tokens = trimmed.tokens_after
    if tokens <= limits.prepare:
        return trimmed
    if tokens <= limits.compact:
        return trimmed.noting("prepare", tokens)
    after = _broken(state) if breaker_open else _trimmed(_summarised(state))
    if after.tokens_after > limits.window:
        after = _emergency(after, limits.window)
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
    done = Message("summary", (Text(continuation_text(summary)),))
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
    starts = _turns(messages, own)
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


def _turns(messages: Sequence[Message], own: int) -> list[int]:
    """Return the starts of turns: user messages at which no pair is split."""
    clean = clean_starts(messages)
    later = range(own + 1, len(messages))
    asked = (at for at in later if messages[at].role == "user" and messages[at].text)
    return [own, *(at for at in asked if clean[at])]


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
