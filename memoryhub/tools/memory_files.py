"""OpenClaw's tools on memory files: search, read lines, append to a day's log."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date, datetime
from itertools import islice
from typing import Any, Literal

from pydantic import ConfigDict, Field, model_validator

from memoryhub.disk.files import FileError
from memoryhub.errors.base import ToolError
from memoryhub.formats.openclaw.memory_files import (
    DEFAULT_LINES,
    excerpt,
    memory_path,
)
from memoryhub.journal.models import Operation
from memoryhub.journal.scopes import Scope
from memoryhub.journal.versions import file_at, path_in
from memoryhub.people.callers import Caller
from memoryhub.search.history import LostLine
from memoryhub.search.queries import search
from memoryhub.search.results import Hit
from memoryhub.sync.edit.writing import look
from memoryhub.sync.files import Who
from memoryhub.tools.base import Answer, FreeText, Request, tool
from memoryhub.tools.quoting import (
    block,
    may_read,
    readable,
    refuse_private,
    with_notice,
)
from memoryhub.values import tokens
from snapshots.exporters import snapshot_text
from snapshots.queries.snapshots import newest_snapshots
from snapshots.services.snapshots import append_text, log_path

#: Hits that are fetched, before filtering by permission and budget.
_LOOKED_AT = 60
#: Lines of MEMORY.md returned as a fallback.
_INDEX_LINES = 60
_INDEX = "MEMORY.md"
#: big-memory's search after a compaction: its marker, or the snapshots of a day.
_RECOVERY = re.compile(
    r"""\W*(?:(\d{4}-\d\d-\d\d)\W+)?(?:big-memory-snapshot|task snapshot)\W*""",
    re.IGNORECASE,
)


class SearchRequest(Request):
    """A query and the size of its answer."""

    query: str = Field(
        min_length=1,
        max_length=1_000,
        description='Words, names, paths; "a phrase"; -not; topic: agent: kind: path:'
        " before: after: narrow it; in:history searches removed lines alone.",
    )
    max_results: int = Field(default=6, ge=1, le=50, description="At most so many.")
    min_score: float = Field(
        default=0,
        ge=0,
        description="Drop results with a lower score, except exact matches.",
    )
    token_budget: int = Field(
        default=1_500,
        ge=50,
        le=50_000,
        description="As many of the best as fit into about so many tokens.",
    )
    recent: bool = Field(
        default=False, description="Let age count: half after 30 days."
    )
    form: Literal["hub", "openclaw"] = Field(
        default="hub", description="The hub's fields, or those of OpenClaw's own tool."
    )

    @model_validator(mode="before")
    @classmethod
    def in_openclaws_names(cls, fields: Any) -> Any:
        """Accept OpenClaw's names of fields, too."""
        if not isinstance(fields, dict):
            return fields
        names = {"maxResults": "max_results", "minScore": "min_score"}
        return {names.get(name, name): value for name, value in fields.items()}


class MemoryHit(Answer):
    """Lines of a file that answer a query; `exact` if they hold a name of it whole.

    `why` has the words, names and day that were found; `alike` is the number of lines
    that say the same and were left out.
    """

    path: str
    from_line: int
    to_line: int
    score: float
    exact: bool
    kind: str
    snippet: str
    why: str = ""
    alike: int = 0

    def as_text(self) -> str:
        place = f"{self.path}:{self.from_line}-{self.to_line}"
        reason = f" ({self.why})" if self.why else ""
        alike = f", and {self.alike} more like it" if self.alike else ""
        return block(f"{place} score {self.score:.2f}{reason}{alike}", self.snippet)


class OpenClawHit(Answer):
    """A result with the fields of OpenClaw's memory_search, in its order."""

    path: str
    startLine: int  # noqa: N815
    endLine: int  # noqa: N815
    score: float
    snippet: str
    source: Literal["memory"] = "memory"

    def as_text(self) -> str:
        place = f"{self.path}#L{self.startLine}-L{self.endLine}"
        return block(f"{place} score {self.score:.2f}", self.snippet)


class EarlierLine(Answer):
    """A line that revision `removed_rev` took out of a file; revision `rev` has it."""

    path: str
    line: int
    rev: int
    snippet: str
    removed_rev: int
    removed_at: datetime
    removed_by: str
    file_deleted: bool

    def as_text(self) -> str:
        place = f"{self.path}:{self.line} of revision {self.rev}"
        how = "removed with its file" if self.file_deleted else "removed"
        when = f"{self.removed_at:%Y-%m-%d %H:%M}Z, revision {self.removed_rev}"
        return block(f"{place}, {how} {when}, by: {self.removed_by}", self.snippet)


class Found(Answer):
    """Search results, best first; `stale` if newer versions are not indexed yet.

    `stopped` if it took too long, so that there may be more. `more` further lines have
    words of the query, `at_least` so many if not all were read; `narrow` are filters to
    add to it. `notes` say what of the query was read in another way. `earlier` are
    lines that no file has any more, `earlier_partly` if there may be more of them.
    """

    results: list[MemoryHit | OpenClawHit]
    spellings: list[str]
    stale: bool
    stopped: bool = False
    more: int = 0
    at_least: bool = False
    narrow: list[str] = []
    notes: list[str] = []
    earlier: list[EarlierLine] = []
    earlier_partly: bool = False

    def as_text(self) -> str:
        parts = [hit.as_text() for hit in self.results]
        where = " in current files" * bool(self.earlier)
        text = with_notice(*parts) if parts else f"Nothing found{where}."
        if self.spellings:
            text += f"\n\nDid you mean: {', '.join(self.spellings)}?"
        too_common = [note for note in self.notes if note.startswith("too-common: ")]
        if others := [note for note in self.notes if note not in too_common]:
            text += f"\n\nRead in another way: {'; '.join(others)}."
        for note in too_common:
            ignored = note.removeprefix("too-common: ")
            text += f"\n\nWords as common as these are ignored: {ignored}."
            text += ' In quotation marks they are found: "…".'
        if self.more:
            least = "At least " * self.at_least
            text += f"\n\n{least}{self.more} more lines have words of it."
            if self.narrow:
                text += f" To narrow it, add one of: {', '.join(self.narrow)}"
        if self.earlier:
            lines = "\n\n".join(line.as_text() for line in self.earlier)
            text += f"\n\nIn earlier versions: {len(self.earlier)}\n\n{lines}"
        if self.earlier_partly:
            text += "\n\nNot all earlier versions were searched."
        if self.stale:
            text += "\n\nThe newest versions of some files are not searched yet."
        if self.stopped:
            text += "\n\nThe search was stopped, there may be more: narrow it."
        return text


@tool("Search memory", Scope.READ)
def memory_search(caller: Caller, request: SearchRequest) -> Found:
    """Search all memory files: decisions, work done, lessons, open items.

    Use it before you answer anything about prior work, decisions, dates, people,
    preferences or open tasks; then read the lines around a hit with memory_get. Exact
    names, paths and error codes come first, however old they are.
    """
    return _found(caller, request, wide=True)


def _found(caller: Caller, request: SearchRequest, *, wide: bool = False) -> Found:
    results = list(_recovered(caller, request))
    left = request.token_budget - sum(tokens.shown(hit.snippet) for hit in results)
    found = search(
        caller.workspace,
        request.query,
        limit=request.max_results,
        token_budget=left,
        recent=request.recent,
        min_score=request.min_score,
        readable=readable(caller),
        unread=False,
        jumps=False,
        wide=wide,
        history=wide,
    )
    hits = (hit for hit in map(_memory_hit, found.hits))
    results += (hit for hit in hits if not any(_holds(one, hit) for one in results))
    results = results[: request.max_results]
    left -= sum(tokens.shown(hit.text) for hit in found.hits)
    earlier = list(_earlier(found.earlier.lines[: request.max_results], left))
    return Found(
        results=[*(_in_openclaw(results) if request.form == "openclaw" else results)],
        spellings=[nearest for _, nearest in found.spellings],
        stale=found.behind,
        stopped=any(note.code == "stopped" for note in found.notes),
        more=found.more,
        at_least=found.at_least,
        narrow=list(found.narrowing) if found.more else [],
        notes=[": ".join(filter(None, note)) for note in found.notes],
        earlier=earlier,
        earlier_partly=found.earlier.is_cut or len(earlier) < len(found.earlier.lines),
    )


def _earlier(lines: Sequence[LostLine], left: int) -> Iterator[EarlierLine]:
    """Yield the lost lines that fit into the tokens left."""
    for line in lines:
        left -= tokens.shown(line.snippet.text)
        if left < 0:
            return
        yield EarlierLine.of(
            line,
            rev=line.seq,
            snippet=line.snippet.text,
            removed_rev=line.removed_seq,
            file_deleted=line.is_deleted,
        )


def _in_openclaw(hits: Sequence[MemoryHit]) -> list[OpenClawHit]:
    """Return hits as OpenClaw gives them: scores from 0 to 1, exact ones 1."""
    best = max((hit.score for hit in hits), default=0.0) or 1.0
    return [
        OpenClawHit(
            path=hit.path,
            startLine=hit.from_line,
            endLine=hit.to_line,
            score=1.0 if hit.exact else round(hit.score / best, 4),
            snippet=hit.snippet,
        )
        for hit in hits
    ]


def _recovered(caller: Caller, request: SearchRequest) -> Iterator[MemoryHit]:
    """Yield the snapshots that big-memory searches for after a compaction."""
    if not (asked := _RECOVERY.fullmatch(request.query)):
        return
    left = request.token_budget
    for hit in islice(_blocks(caller, asked[1] or ""), request.max_results):
        cost = tokens.shown(hit.snippet)
        if cost <= left:
            left -= cost
            yield hit


def _blocks(caller: Caller, day: str) -> Iterator[MemoryHit]:
    """Yield the newest snapshots, of one day or of all, each as a whole."""
    for row in newest_snapshots(caller.workspace, private=caller.private)[:_LOOKED_AT]:
        if day in row.snapshot_id and may_read(caller, row.file.path):
            yield MemoryHit(
                path=row.file.path,
                from_line=row.first_line,
                to_line=row.last_line,
                score=1,
                exact=True,
                kind="snapshot",
                snippet=snapshot_text(row),
            )


def hits_for(caller: Caller, query: str, limit: int, budget: int) -> list[MemoryHit]:
    """Return the best hits that the caller's session may read."""
    asked = SearchRequest(query=query, max_results=limit, token_budget=budget)
    found = _found(caller, asked).results
    return [hit for hit in found if isinstance(hit, MemoryHit)]


def _memory_hit(hit: Hit) -> MemoryHit:
    return MemoryHit.of(
        hit,
        path=hit.place,
        from_line=hit.first_line,
        to_line=hit.last_line,
        kind=hit.thing.kind,
        snippet=hit.text,
        why=str(hit.why),
        alike=len(hit.alike),
    )


def _holds(selected: MemoryHit, hit: MemoryHit) -> bool:
    """Return whether a hit's lines are within one already returned."""
    return selected.path == hit.path and (
        selected.from_line <= hit.from_line and hit.to_line <= selected.to_line
    )


class GetRequest(Request):
    """Which lines of which file are wanted."""

    model_config = ConfigDict(validate_by_name=True, validate_by_alias=True)

    path: str = Field(
        max_length=1_000,
        description="A path that memory_search or MEMORY.md names.",
    )
    from_line: int = Field(
        default=1, alias="from", ge=1, le=10**9, description="The first line wanted."
    )
    lines: int = Field(
        default=DEFAULT_LINES, ge=1, le=10**6, description="How many lines at most."
    )


class Gotten(Answer):
    """Lines of a file as on disk; `next_from` is the next line, if any."""

    status: Literal["ok", "not_found"]
    path: str
    text: str = ""
    from_line: int = 1
    lines: int = 0
    truncated: bool = False
    next_from: int | None = None

    def as_text(self) -> str:
        if self.status == "not_found":
            return f"There is no {self.path}."
        return with_notice(block(f"{self.path} from {self.from_line}", self.text))


@tool("Read lines of a memory file", Scope.READ)
def memory_get(caller: Caller, request: GetRequest) -> Gotten:
    """Read some lines of a memory file, exactly as it is on disk now.

    Use it after memory_search, to read the lines around a hit, and for the files that
    MEMORY.md names; without lines it gives 120, and says from where to go on. MEMORY.md
    is for private sessions alone.
    """
    path = readable_path(caller, request.path)
    disk = look(caller.workspace, path)
    if disk.file is None:
        return Gotten(status="not_found", path=path)
    found = excerpt(disk.text, request.from_line, request.lines)
    return Gotten(
        status="ok",
        path=path,
        text=found.noticed,
        from_line=found.first,
        lines=found.lines,
        truncated=found.truncated,
        next_from=found.next_line or None,
    )


def readable_path(caller: Caller, asked: str) -> str:
    """Return the path of a memory file, or of any other file that was imported.

    A path is relative to the workspace, or absolute inside it.

    Raises:
        FormatError: it is neither.
        ToolError: ``memory-private``.
    """
    path = path_in(caller.workspace, asked)
    file = file_at(caller.workspace, path)
    if file is None or not file.present:
        path = memory_path(path, caller.workspace.memory_folder)
    refuse_private(caller, path)
    return path


def index_of(caller: Caller) -> str:
    """Return the start of MEMORY.md; "" if the session may not read it."""
    if not may_read(caller, _INDEX):
        return ""
    try:
        text = look(caller.workspace, _INDEX).text
    except FileError:
        return ""
    return excerpt(text, 1, _INDEX_LINES).noticed


class AppendRequest(Request):
    """A note to append, and the day of its log; or a fact for `MEMORY.md`."""

    content: FreeText = Field(
        min_length=1, max_length=200_000, description="Markdown, added as it is."
    )
    day: date | None = Field(
        default=None, description="The log's day; today if left out."
    )
    path: str = Field(
        default="",
        max_length=1_000,
        description="MEMORY.md, for facts.",
    )


class Appended(Answer):
    """The file that has the text now; `staged` if a person reviews first."""

    path: str
    staged: bool

    def as_text(self) -> str:
        if self.staged:
            return f"Content waits for review before it is appended to {self.path}."
        return f"Appended content to {self.path}."


@tool("Append to a day's log or MEMORY.md", Scope.MEMORY, together=True)
def memory_append(caller: Caller, request: AppendRequest) -> Appended:
    """Append a note to the daily log, or a fact to MEMORY.md; no line changes.

    Use it to keep what is worth knowing later: when the user says "remember this",
    after something was learned, and when a memory flush asks for durable notes.
    """
    named = request.path and path_in(caller.workspace, request.path)
    log = log_path(caller.workspace, request.day or caller.today())
    if named not in ("", log, _INDEX):
        raise ToolError("flush-path", path=log)
    refuse_private(caller, named)
    who = Who(caller.actor, caller.operation_key("append"))
    done = append_text(caller.workspace, named or log, request.content, who)
    staged = done.state == Operation.State.STAGED
    return Appended(path=done.target, staged=staged)


TOOLS = (memory_search, memory_get, memory_append)
