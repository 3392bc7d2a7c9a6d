"""Storage and transfer of session memories: memory files, ids and ccw's bundle."""

from __future__ import annotations

import datetime
import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from shlex import quote

from memoryhub.formats.base import FormatError
from memoryhub.formats.text import frontmatter
from memoryhub.formats.text.frontmatter import FrontMatter
from memoryhub.formats.text.javascript import parse_json, stringify
from memoryhub.formats.text.line_edits import folded

BUNDLE_VERSION = "1.0"

#: The field of a memory file for values its other lines cannot hold, as JSON.
_CARRIED = "ccw"
_SAVED = "Session Memory Saved"


@dataclass(frozen=True, slots=True)
class MemoryRecord:
    """A memory as ccw's store holds it; times are its ISO texts."""

    memory_id: str
    content: str
    summary: str = ""
    raw_output: str = ""
    created_at: str = ""
    updated_at: str = ""
    archived: bool = False
    metadata: object = None
    tags: tuple[str, ...] = ()


def memory_id_for(moment: datetime.datetime, taken: Collection[str] = ()) -> str:
    """Return the id of a memory made at a wall-clock time, in the next free second.

    ccw's ids count in seconds, and a second one in the same second overwrites the
    first there.
    """
    while (found := f"CMEM-{moment:%Y%m%d-%H%M%S}") in taken:
        moment += datetime.timedelta(seconds=1)
    return found


def render_memory_file(record: MemoryRecord) -> str:
    """Return the memory file: front matter of known values, then the unchanged text.

    The front matter holds single lines, and lists of words: a comma in a tag becomes
    a blank there, a summary one line. The exact values, and other data of ccw's store,
    go into a separate field, read by `with_carried`.
    """
    values = {
        "id": record.memory_id,
        "created": record.created_at,
        "updated": record.updated_at,
        "archived": "true" if record.archived else "",
        "tags": f"[{', '.join(_plain_tags(record.tags))}]" if record.tags else "",
        "summary": folded(record.summary),
        _CARRIED: _to_carry(record),
    }
    front = ""
    for key, value in values.items():
        if value:
            front = frontmatter.with_field(front, key, value)
    return f"{front}\n{record.content}"


def _to_carry(record: MemoryRecord) -> str:
    carried: dict[str, object] = {}
    if record.summary != folded(record.summary):
        carried["summary"] = record.summary
    if list(record.tags) != _plain_tags(record.tags):
        carried["tags"] = list(record.tags)
    if record.metadata is not None:
        carried["metadata"] = record.metadata
    if record.raw_output:
        carried["raw_output"] = record.raw_output
    return json.dumps(carried, ensure_ascii=False) if carried else ""


def with_carried(record: MemoryRecord, front: FrontMatter) -> MemoryRecord:
    """Return a record completed from the carried field of its front matter.

    A summary or tags edited since then are not replaced.
    """
    carried = _carried(front)
    summary, tags = _text(carried.get("summary")), carried.get("tags")
    if summary and folded(summary) == record.summary:
        record = replace(record, summary=summary)
    if isinstance(tags, list) and _plain_tags(map(_text, tags)) == list(record.tags):
        record = replace(record, tags=tuple(map(_text, tags)))
    raw_output = _text(carried.get("raw_output"))
    return replace(record, metadata=carried.get("metadata"), raw_output=raw_output)


def _carried(front: FrontMatter) -> Mapping[str, object]:
    said = front.get(_CARRIED)
    try:
        held = parse_json(said) if said else {}
    except FormatError:
        return {}
    return held if isinstance(held, dict) else {}


def _plain_tags(tags: Iterable[str]) -> list[str]:
    return [folded(tag.replace(",", " ")) for tag in tags]


def render_bundle(
    memories: Iterable[MemoryRecord],
    source_project: str,
    exported_at: datetime.datetime,
) -> str:
    """Return the JSON that ``ccw core-memory import-from`` reads."""
    return stringify(
        {
            "version": BUNDLE_VERSION,
            "exportedAt": iso_milliseconds(exported_at),
            "sourceProject": source_project,
            "memories": [_to_json(memory) for memory in memories],
        }
    )


def iso_milliseconds(moment: datetime.datetime) -> str:
    """Return a time as JavaScript's `toISOString` does; a naive one is taken as UTC."""
    known = moment if moment.tzinfo else moment.replace(tzinfo=datetime.UTC)
    utc = known.astimezone(datetime.UTC).replace(tzinfo=None)
    return utc.isoformat(timespec="milliseconds") + "Z"


def _to_json(memory: MemoryRecord) -> dict[str, object]:
    held = {one.name: getattr(memory, one.name) for one in fields(memory)}
    return {"id": held.pop("memory_id"), **held}


def parse_bundle(text: str) -> tuple[list[MemoryRecord], list[int]]:
    """Return the memories of a bundle, and the places of entries that are none.

    Raises `FormatError`: ``json-invalid`` with the line, ``not-a-bundle``. An entry
    without an id or content is no memory.
    """
    held = parse_json(text)
    listed = held.get("memories") if isinstance(held, dict) else None
    if not isinstance(held, dict) or not isinstance(listed, list):
        raise FormatError("not-a-bundle", 1)
    read = [_from_json(one) if isinstance(one, Mapping) else None for one in listed]
    unread = [index for index, memory in enumerate(read) if memory is None]
    return [memory for memory in read if memory], unread


def _from_json(entry: Mapping[str, object]) -> MemoryRecord | None:
    memory_id, content = entry.get("id"), entry.get("content")
    if not isinstance(memory_id, str) or not isinstance(content, str) or not memory_id:
        return None
    tags = entry.get("tags")
    return MemoryRecord(
        memory_id=memory_id,
        content=content,
        summary=_text(entry.get("summary")),
        raw_output=_text(entry.get("raw_output")),
        created_at=_text(entry.get("created_at")),
        updated_at=_text(entry.get("updated_at")),
        archived=bool(entry.get("archived")),
        metadata=entry.get("metadata"),
        tags=tuple(map(_text, tags)) if isinstance(tags, list) else (),
    )


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def export_command(memory_id: str, workspace: str) -> str:
    """Return the command that prints the text of a memory."""
    named = f"--id {quote(memory_id)} --workspace {quote(workspace)}"
    return f"memoryhub tool core_memory --operation export {named}"


def recovery_banner(memory_id: str, workspace: str) -> str:
    """Return the box ``/memory:compact`` shows after it has saved a session."""
    lines = [
        f"✓ {_SAVED}",
        "",
        f"Recovery ID: {memory_id}",
        "",
        f'To restore: "Please import memory {memory_id}"',
        "(MCP: core_memory export, or by command:)",
        export_command(memory_id, workspace),
    ]
    width = max(len(line) + 4 for line in lines)
    bar = "═" * width
    rows = [f"║  {line}".ljust(width + 1) + "║" for line in lines]
    return "\n".join([f"╔{bar}╗", *rows, f"╚{bar}╝"])
