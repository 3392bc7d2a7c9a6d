"""L1, the soft trim: tool outputs, shortened after every call.

context-memory-optimizer's numbers: outputs above 2,000 characters keep their last
500, files read above 3,000 their key paragraphs, and all but the eight newest records
one line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from memoryhub.compaction.messages import Block, Message, ToolResult, ToolUse

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
    records = sum(len(message.results) for message in messages)
    older = records - RECORDS_KEPT
    done: list[Message] = []
    for message in messages:
        blocks = [_trimmed(block, uses, older - n) for n, block in _counted(message)]
        older -= len(message.results)
        done.append(message.with_blocks(blocks))
    pairs = zip(messages, done, strict=True)
    results = (zip(a.results, b.results, strict=True) for a, b in pairs if a != b)
    return tuple(done), sum(old != new for cut in results for old, new in cut)


def _counted(message: Message) -> Iterator[tuple[int, Block]]:
    """Yield blocks with the number of results before them."""
    results = 0
    for block in message.blocks:
        yield results, block
        results += isinstance(block, ToolResult)


def _trimmed(block: Block, uses: dict[str, ToolUse], newer_than_kept: int) -> Block:
    """Return a block; a tool's output is cut if that makes it shorter."""
    if not isinstance(block, ToolResult):
        return block
    if newer_than_kept > 0:
        output = _one_line(block)
    elif path := _path_read(block, uses):
        output = _key_paragraphs(block.output, path)
    else:
        output = _tail(block)
    return replace(block, output=output) if len(output) < len(block.output) else block


def _one_line(result: ToolResult) -> str:
    full = result.output
    flat = " ".join(full.split()) if len(full) <= 2 * _LINE else ""
    if full and flat and len(flat) <= _LINE:
        return flat
    return f"[trimmed — {_conclusion(result, full)}]"


def _tail(result: ToolResult) -> str:
    full = result.output
    if len(full) <= OUTPUT_LIMIT:
        return full
    conclusion = _conclusion(result, full[:-TAIL])
    return f"{full[-TAIL:]}\n[trimmed — {conclusion}, the last {TAIL} are above]"


def _conclusion(result: ToolResult, dropped: str) -> str:
    """Return a line with a tool's outcome, and an error in the dropped part."""
    name = result.name[:60] or "the tool"
    ended = "failed" if result.is_error else "ended"
    size = f"{len(result.output):,} characters"
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


def _path_read(result: ToolResult, uses: dict[str, ToolUse]) -> str:
    """Return the path of the file that a tool read; empty for any other tool."""
    use = uses.get(result.id)
    if use is None or use.name.casefold() not in _READERS:
        return ""
    try:
        given = json.loads(use.input) if len(use.input) <= _INPUT_LIMIT else None
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
