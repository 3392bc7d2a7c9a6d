"""Port of claw-code's compact.rs (782d9ce, 2026-04-01): findings and summary.

context-memory-optimizer names it as its source and differs from it on almost every
point. `keep_pairs` is the rule of a later version (6e301c8, 2026-04-10).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import PurePosixPath

from memoryhub.compaction.levels import Compacted
from memoryhub.compaction.messages import (
    Block,
    Message,
    Role,
    session_tokens,
    utf8_size,
    whole_pairs,
)
from memoryhub.compaction.summary import Findings

#: Unicode's White_Space.
BLANKS = (
    "\t\n\x0b\x0c\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007"
    "\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
_TOKEN = re.compile(f"[^{BLANKS}]+")

PREAMBLE = (
    "This session is being continued from a previous conversation that ran out of"
    " context. The summary below covers the earlier portion of the conversation.\n\n"
)
RECENT_NOTE = "Recent messages are preserved verbatim."
RESUME = (
    "Continue the conversation from where it left off without asking the user any"
    " further questions. Resume directly — do not acknowledge the summary, do not"
    " recap what was happening, and do not preface with continuation text."
)
TITLE = "Conversation summary:"
TIMELINE = "- Key timeline:"
_HEAD = ("<summary>", TITLE)
_TITLES = frozenset({"", "Summary:", TITLE})

_REQUESTS = 3
_PENDING = 3
_KEY_FILES = 8
_LINE = 160
_CURRENT = 200
_PENDING_WORDS = re.compile(
    "todo|next|pending|follow up|remaining", re.IGNORECASE | re.ASCII
)
_EXTENSIONS = frozenset({".rs", ".ts", ".tsx", ".js", ".json", ".md"})
_AROUND_PATHS = ",.:;)(\"'`"


def trim(text: str) -> str:
    """Return a text without blanks around it: `str::trim`."""
    return text.strip(BLANKS)


def lines(text: str) -> list[str]:
    r"""Return the lines of a text without their ``\n`` or ``\r\n``: `str::lines`."""
    found = text.split("\n")
    last = found.pop()
    ended = [line.removesuffix("\r") for line in found]
    return [*ended, last] if last else ended


def cut(text: str, limit: int) -> str:
    """Truncate a text to a number of characters, with an ellipsis."""
    return text if len(text) <= limit else text[:limit] + "…"


def formatted(summary: str) -> str:
    """Return a summary without its analysis and tags, blank lines drawn together."""
    text = _without_analysis(summary)
    said = _tagged(text, "summary")
    if said is not None:
        text = text.replace(f"<summary>{said}</summary>", f"Summary:\n{trim(said)}")
    return trim("".join(f"{line}\n" for line in _few_blanks(text)))


def continuation(summary: str, *, recent_kept: bool = True) -> str:
    """Return the message that replaces the compacted ones."""
    note = f"\n\n{RECENT_NOTE}" if recent_kept else ""
    return f"{PREAMBLE}{formatted(summary)}{note}\n{RESUME}"


def merged(before: str, new: str) -> str:
    """Merge an earlier summary and a new one; the timeline is the new one's."""
    (earlier, _), (newly, timeline) = _highlights(before), _highlights(formatted(new))
    parts = (
        ("- Previously compacted context:", earlier),
        ("- Newly compacted context:", newly),
        (TIMELINE, timeline),
    )
    rows = [
        (title, *(f"  {line}" for line in found)) for title, found in parts if found
    ]
    return "\n".join([*_HEAD, *(line for row in rows for line in row), "</summary>"])


def _without_analysis(text: str) -> str:
    """Cut from the first start tag to the first end tag, in either order."""
    start, end = text.find("<analysis>"), text.find("</analysis>")
    if start < 0 or end < 0:
        return text
    return text[:start] + text[end + len("</analysis>") :]


def _tagged(text: str, tag: str) -> str | None:
    _, opened, rest = text.partition(f"<{tag}>")
    said, closed, _ = rest.partition(f"</{tag}>")
    return said if opened and closed else None


def _few_blanks(text: str) -> Iterator[str]:
    """Yield the lines of a text, the first of several blank ones only."""
    was_blank = False
    for line in lines(text):
        is_blank = not trim(line)
        if not (is_blank and was_blank):
            yield line
        was_blank = is_blank


def _highlights(summary: str) -> tuple[list[str], list[str]]:
    """Return the lines of a summary above its timeline, without titles, and its rows.

    The timeline ends at a blank line.
    """
    said = [line.rstrip(BLANKS) for line in lines(formatted(summary))]
    at = said.index(TIMELINE) if TIMELINE in said else len(said)
    rows = [line for line in said[at + 1 :] if line != TIMELINE]
    end = rows.index("") if "" in rows else len(rows)
    return [line for line in said[:at] if line not in _TITLES], rows[:end]


def should_compact(messages: Sequence[Message], preserve: int, max_tokens: int) -> bool:
    """Return whether there are enough tokens, and more messages than to preserve.

    Tokens are bytes of UTF-8 ÷ 4, and one, a block. The summary of an earlier
    compaction counts as neither.
    """
    own = messages[_compacted(messages) :]
    return len(own) > preserve and session_tokens(own, utf8_size) >= max_tokens


def compacted(
    messages: Sequence[Message],
    preserve: int,
    max_tokens: int,
    *,
    keep_pairs: bool = False,
) -> Compacted:
    """Return the session with all but its newest messages in a summary, if it is due.

    `keep_pairs`: never part a tool's use and result.
    """
    found = Findings(
        pending=tuple(pending_work(messages)),
        key_files=tuple(key_files(messages)),
        task=current_work(messages) or "",
    )
    state = Compacted(tuple(messages), tuple(messages), found, measure=utf8_size)
    if not should_compact(messages, preserve, max_tokens):
        return state.noting("not-due")
    first = _compacted(messages)
    keep_from = len(messages) - preserve
    if keep_pairs:
        keep_from = max(first, whole_pairs(messages, keep_from))
    removed, kept = messages[first:keep_from], messages[keep_from:]
    summary = summarize(removed)
    if (before := _earlier(messages)) is not None:
        summary = merged(before, summary)
    text = continuation(summary, recent_kept=bool(kept))
    return replace(
        state.noting("summarised", len(removed)),
        messages=(Message("system", (Block("text", text),)), *kept),
        summary=summary,
        continuation=text,
    )


def summarize(messages: Sequence[Message]) -> str:
    """Return the summary of messages, in its tags."""
    rows = [_scope(messages)]
    blocks = (block for message in messages for block in message.blocks)
    if names := {b.name for b in blocks if b.kind in ("use", "result")}:
        rows.append(f"- Tools mentioned: {', '.join(sorted(names))}.")
    rows += _listed("- Recent user requests:", _requests(messages))
    rows += _listed("- Pending work:", pending_work(messages))
    if paths := key_files(messages):
        rows.append(f"- Key files referenced: {', '.join(paths)}.")
    if current := current_work(messages):
        rows.append(f"- Current work: {current}")
    timeline = map(_timeline_row, messages)
    return "\n".join([*_HEAD, *rows, TIMELINE, *timeline, "</summary>"])


def pending_work(messages: Sequence[Message]) -> list[str]:
    """Return the newest three first texts that mention pending work, oldest first."""
    texts = (text for text in _newest_texts(messages) if _PENDING_WORDS.search(text))
    return _cut_oldest_first(islice(texts, _PENDING))


def key_files(messages: Iterable[Message]) -> list[str]:
    """Return the first eight paths of source files, in the order of their bytes."""
    blocks = (block for message in messages for block in message.blocks)
    found = {path for b in blocks if "/" in b.text for path in _paths(b.text)}
    return sorted(found)[:_KEY_FILES]


def current_work(messages: Sequence[Message]) -> str | None:
    """Return the start of the newest text; None without any."""
    newest = next(_newest_texts(messages), None)
    return None if newest is None else cut(newest, _CURRENT)


def _earlier(messages: Sequence[Message]) -> str | None:
    """Return the summary carried by the first message; None without one."""
    if not messages or _role(messages[0]) != "system":
        return None
    text = _first_text(messages[0]) or ""
    if not text.startswith(PREAMBLE):
        return None
    said = text.removeprefix(PREAMBLE).partition(f"\n\n{RECENT_NOTE}")[0]
    return trim(said.partition(f"\n{RESUME}")[0])


def _compacted(messages: Sequence[Message]) -> int:
    return 0 if _earlier(messages) is None else 1


def _role(message: Message) -> Role:
    return "system" if message.role == "summary" else message.role


def _first_text(message: Message) -> str | None:
    texts = (block.text for block in message.blocks if block.kind == "text")
    return next((text for text in texts if trim(text)), None)


def _newest_texts(messages: Sequence[Message]) -> Iterator[str]:
    texts = map(_first_text, reversed(messages))
    return (text for text in texts if text is not None)


def _cut_oldest_first(newest_first: Iterable[str]) -> list[str]:
    return [cut(text, _LINE) for text in newest_first][::-1]


def _requests(messages: Sequence[Message]) -> list[str]:
    asked = [message for message in messages if message.role == "user"]
    return _cut_oldest_first(islice(_newest_texts(asked), _REQUESTS))


def _listed(title: str, rows: Sequence[str]) -> list[str]:
    return [title, *(f"  - {row}" for row in rows)] if rows else []


def _scope(messages: Sequence[Message]) -> str:
    roles = [message.role for message in messages]
    counted: tuple[Role, ...] = ("user", "assistant", "tool")
    counts = ", ".join(f"{role}={roles.count(role)}" for role in counted)
    return f"- Scope: {len(messages)} earlier messages compacted ({counts})."


def _paths(text: str) -> Iterator[str]:
    for token in _TOKEN.findall(text):
        path = token.strip(_AROUND_PATHS)
        if "/" in path and PurePosixPath(path).suffix.lower() in _EXTENSIONS:
            yield path


def _timeline_row(message: Message) -> str:
    said = " | ".join(cut(_block_line(block), _LINE) for block in message.blocks)
    return f"  - {_role(message)}: {said}"


def _block_line(block: Block) -> str:
    if block.kind == "use":
        return f"tool_use {block.name}({block.text})"
    if block.kind == "result":
        error = "error " if block.is_error else ""
        return f"tool_result {block.name}: {error}{block.text}"
    return block.text
