"""Tools of ccw's core memory: session memories by id, and as a bundle."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from memoryhub.dialects.session_compact.session_memory import (
    MemoryRecord,
    parse_bundle,
    recovery_banner,
    render_bundle,
)
from memoryhub.errors.base import ToolError
from memoryhub.formats.injection import quoted
from memoryhub.formats.text import javascript
from memoryhub.journal.scopes import Scope
from memoryhub.people.callers import Caller
from memoryhub.sync.files import Who
from memoryhub.tools.base import Answer, FreeText, Item, Request, tool
from memoryhub.tools.quoting import block, with_notice
from snapshots.services.memories import (
    import_bundle,
    import_memory,
    memory_id_of,
    memory_named,
    newest_memories,
)

#: Length of a preview in a list, in UTF-16 units.
_PREVIEW = 100
#: Largest text, and largest bundle, in characters.
MOST_TEXT, MOST_BUNDLE = 1_000_000, 20_000_000


class CoreMemoryRequest(Request):
    """An operation and its arguments."""

    operation: Literal["import", "export", "list"] = Field(
        description="import saves `text`, export gives the memory `id`, list shows all."
    )
    text: FreeText = Field(
        "", max_length=MOST_TEXT, description="import: what to save."
    )
    id: str = Field("", max_length=100, description="export: a CMEM- id.")
    limit: int = Field(100, ge=1, le=1000, description="list: how many at most.")
    tags: list[Item] = Field(
        default=[], max_length=50, description="list: only those with all these tags."
    )


class ListedMemory(Answer):
    """A memory in a listing."""

    id: str
    preview: str
    archived: bool
    updated_at: str
    tags: list[str]


class CoreMemoryResult(Answer):
    """The result that ccw gives for the operation; fields of others are left out."""

    operation: str
    id: str | None = None
    message: str | None = None
    #: ``staged`` if a person reviews writes.
    state: str | None = None
    banner: str | None = None
    content: str | None = None
    memories: list[ListedMemory] | None = None
    total: int | None = None

    @model_serializer(mode="wrap")
    def _said(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {key: held for key, held in handler(self).items() if held is not None}

    def as_file(self) -> str | None:
        """Return the text of an exported memory."""
        return self.content

    def as_text(self) -> str:
        """Return the text, the list or the confirmation; file content quoted."""
        if self.content is not None:
            return with_notice(block(self.id or "", self.content))
        if self.memories is None:
            return f"{self.message}\n\n{self.banner}"
        lines = [f"{m.id} {m.updated_at[:10]} {m.preview}" for m in self.memories]
        return with_notice(quoted("\n".join(lines))) if lines else "No memories."


@tool("Session memories", Scope.MEMORY, reading=lambda r: r.operation != "import")
def core_memory(caller: Caller, request: CoreMemoryRequest) -> CoreMemoryResult:
    """Save a session's text for recovery, get one back by its id, or list them.

    Use import after /memory:compact and show the recovery id to the user; use export
    when someone says "Please import memory CMEM-…"; use list to find an id.
    """
    operation = {"import": _import, "export": _export, "list": _list}[request.operation]
    return operation(caller, request)


def _import(caller: Caller, request: CoreMemoryRequest) -> CoreMemoryResult:
    text = javascript.trim(request.text)
    if not text:
        raise ToolError("parameter-required", parameter="text", operation="import")
    who = Who(caller.actor, caller.operation_key("memory"))
    record = MemoryRecord("", text)
    operation = import_memory(caller.workspace, record, who, caller.now())
    memory_id = memory_id_of(operation)
    return CoreMemoryResult(
        operation="import",
        id=memory_id,
        message=f"Created memory: {memory_id}",
        state=operation.state,
        banner=recovery_banner(memory_id, caller.workspace.slug),
    )


def _export(caller: Caller, request: CoreMemoryRequest) -> CoreMemoryResult:
    if not request.id:
        raise ToolError("parameter-required", parameter="id", operation="export")
    memory = memory_named(caller.workspace, request.id)
    if memory is None:
        raise ToolError("memory-unknown", id=request.id)
    return CoreMemoryResult(
        operation="export", id=memory.memory_id, content=memory.content
    )


def _list(caller: Caller, request: CoreMemoryRequest) -> CoreMemoryResult:
    found = newest_memories(caller.workspace, request.tags)[: request.limit]
    listed = [
        ListedMemory.of(
            memory,
            id=memory.memory_id,
            preview=_preview(memory.summary or memory.content),
        )
        for memory in found
    ]
    return CoreMemoryResult(operation="list", memories=listed, total=len(listed))


def _preview(text: str) -> str:
    if javascript.length(text) <= _PREVIEW:
        return text
    return f"{javascript.head(text, _PREVIEW)}..."


class BundleRequest(Request):
    """Whether to write a bundle or to read one, and how."""

    operation: Literal["export", "import"] = Field(
        description="export gives all memories as JSON, import reads such JSON."
    )
    bundle: str = Field("", max_length=MOST_BUNDLE, description="import: the JSON.")
    overwrite: bool = Field(
        False, description="import: overwrite memories with an existing id."
    )
    prefix: str = Field(
        "",
        pattern=r"^[A-Za-z0-9._-]{0,30}$",
        description="import: put before each id, with a hyphen.",
    )
    include_archived: bool = Field(False, description="export: archived memories, too.")


class BundleResult(Answer):
    """The bundle, or the result for each memory in it; `failed` has reasons."""

    operation: str
    memories: int
    bundle: str = ""
    imported: list[str] = []
    overwritten: list[str] = []
    skipped: list[str] = []
    failed: dict[str, str] = {}

    def as_file(self) -> str | None:
        """Return an exported bundle."""
        return self.bundle or None

    def as_text(self) -> str:
        """Return the bundle, quoted, or the counts and the failures."""
        if self.operation == "export":
            return with_notice(quoted(self.bundle))
        counts = (
            f"{len(self.imported)} imported, {len(self.overwritten)} overwritten, "
            f"{len(self.skipped)} skipped, {len(self.failed)} failed."
        )
        return "\n".join(
            [counts, *(f"{id_}: {why}" for id_, why in self.failed.items())]
        )


@tool(
    "All session memories as one JSON",
    Scope.MEMORY,
    destructive=True,
    reading=lambda r: r.operation != "import",
)
def core_memory_bundle(caller: Caller, request: BundleRequest) -> BundleResult:
    """Carry session memories between this hub and ccw, as one JSON text.

    Use export to get what `ccw core-memory import-from FILE.json` reads; use import
    for such a JSON. Ids that are there are skipped unless you overwrite; times become
    those of the import, as ccw does it.
    """
    if request.operation == "export":
        found = newest_memories(caller.workspace)
        memories = [m for m in found if request.include_archived or not m.archived]
        text = render_bundle(memories, caller.workspace.name, caller.now())
        return BundleResult(operation="export", memories=len(memories), bundle=text)
    if not request.bundle.strip():
        raise ToolError("parameter-required", parameter="bundle", operation="import")
    read, left_out = parse_bundle(request.bundle)
    done = import_bundle(
        caller.workspace,
        (
            replace(memory, memory_id=f"{request.prefix}-{memory.memory_id}")
            if request.prefix
            else memory
            for memory in read
        ),
        overwrite=request.overwrite,
        who=Who(caller.actor, caller.operation_key("bundle")),
        now=caller.now(),
    )
    unread = {f"entry {index}": "without an id or a content" for index in left_out}
    return BundleResult(
        operation="import",
        memories=len(read) + len(unread),
        imported=done.imported,
        overwritten=done.overwritten,
        skipped=done.skipped,
        failed=done.failed | unread,
    )


TOOLS = (core_memory, core_memory_bundle)
