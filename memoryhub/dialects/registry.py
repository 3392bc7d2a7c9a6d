"""All dialects in the order of detection; importing it imports each of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import PurePosixPath

from memoryhub.dialects import (
    active_context,
    agent_roles,
    agent_team,
    auto_memory,
    basic_memory,
    beads,
    daily_log,
    decision_log,
    decision_record,
    dreaming,
    error_log,
    exec_plan,
    handoff,
    handoff_note,
    instructions,
    memory_bank,
    memory_index,
    memory_tip,
    plain,
    project_notes,
    raw_memories,
    rollout_summary,
    session_compact,
    session_map,
    session_transcript,
    spec_kit,
    task_snapshot,
    topic_context,
    wiki_page,
)
from memoryhub.dialects.facts import Fact
from memoryhub.dialects.handoff import block_problems
from memoryhub.formats.base import Document, Format, FormatError, Problem

#: The dialects in the order of detection: by name or place, then by text,
#: and last the fallback that matches anything.
FORMATS: tuple[Format, ...] = (
    session_map,
    beads,
    agent_team,
    memory_bank,
    spec_kit,
    auto_memory,
    basic_memory,
    wiki_page,
    session_transcript,
    rollout_summary,
    raw_memories,
    dreaming,
    handoff_note,
    handoff,
    memory_index,
    agent_roles,
    instructions,
    error_log,
    project_notes,
    active_context,
    topic_context,
    session_compact,
    memory_tip,
    task_snapshot,
    decision_record,
    exec_plan,
    decision_log,
    daily_log,
    plain,
)


def _names(*formats: Format) -> frozenset[str]:
    return frozenset(format_.NAME for format_ in formats)


#: Dialects of files that an agent keeps for long, and of those that it reads whole.
LONG_LIVED = _names(
    *(memory_index, agent_roles, memory_bank, auto_memory, topic_context),
    *(project_notes, decision_log, basic_memory, wiki_page),
)
READ_WHOLE = LONG_LIVED | _names(active_context, plain, instructions)
#: Records that are no memory, but have decisions and their reasons.
RECORDS = _names(decision_record, exec_plan)
#: Dialects that say more of a session's topic than a topic's own file.
OF_SESSIONS = _names(session_map)
#: Dialects that are found by day or session; the same of which rows have the content.
_BY_DAY = _names(daily_log, session_transcript, dreaming)
_BY_SESSION = _names(task_snapshot, session_compact, session_map, handoff)
FOUND_OTHERWISE = _BY_DAY | _BY_SESSION | _names(agent_roles, memory_index, memory_tip)
IN_ROWS = _BY_DAY | _BY_SESSION | _names(rollout_summary, raw_memories, handoff_note)

#: Dialects that may be those of a file whose name begins with a day; else it is a log.
_DAYS_FORMATS: tuple[Format, ...] = (handoff, session_transcript, dreaming)
#: Dialects of files that are not Markdown.
_DATA_FORMATS: tuple[Format, ...] = (session_map, beads, agent_team)
#: The parsers that read by the path as well.
_PLACED: dict[str, Callable[[str, PurePosixPath], Document]] = {
    memory_bank.NAME: memory_bank.parse,
    spec_kit.NAME: spec_kit.parse,
    daily_log.NAME: daily_log.parse,
    plain.NAME: plain.parse,
}

#: Length of the head of a day's file in which marks of other dialects count.
_HEAD = 300


def detect(path: PurePosixPath, text: str) -> Format:
    """Return the dialect of a text at this path, relative to the workspace.

    Never fails: a text that matches no other dialect is `plain`.
    """
    if plain.is_data(path):
        return next((f for f in _DATA_FORMATS if f.matches(path, text)), plain)
    for format_ in (memory_bank, spec_kit):
        if format_.matches(path, text):
            return format_
    if handoff_note.is_in_folder(path) and handoff_note.matches(path, text):
        return handoff_note
    if path.name[:1].isdigit() and daily_log.is_daily(path) and _is_log(text):
        head = text[:_HEAD]
        return next((f for f in _DAYS_FORMATS if f.matches(path, head)), daily_log)
    return next(f for f in FORMATS if f.matches(path, text))


def _is_log(text: str) -> bool:
    """Return whether a day's file has no other dialect's marks at its start."""
    return not text.startswith("---") and "## Session ID" not in text[:_HEAD]


def parse(path: PurePosixPath, text: str) -> Document:
    """Return the document of a text at this path; raise nothing but `FormatError`."""
    return parse_as(detect(path, text), path, text)


def parse_as(format_: Format, path: PurePosixPath, text: str) -> Document:
    """Return the document of a text of this dialect at this path, as `parse` does."""
    placed = _PLACED.get(format_.NAME)
    return placed(text, path) if placed else format_.parse(text)


def facts_of_path(name: str, path: PurePosixPath) -> Iterator[Fact]:
    """Yield what files of a dialect state at this path, whatever their text."""
    format_ = next((one for one in FORMATS if name == one.NAME), plain)
    with suppress(FormatError):
        read = getattr(parse_as(format_, path, ""), "facts", None)
        yield from read(path) if read else ()


def problems_of(name: str, document: Document | None, text: str) -> Iterator[Problem]:
    """Yield the defects of a text: its own, and those of the blocks in it."""
    yield from getattr(document, "problems", ())
    if name != session_transcript.NAME:
        yield from block_problems(text)
