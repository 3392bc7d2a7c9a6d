"""Every field of every tool, given what no file can hold or what leaves the workspace.

What is refused is refused with a code: anything else that a tool raises fails here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from pytest_django import DjangoDbBlocker

from memoryhub.tools.calling import CallerOptions
from memoryhub.tools.registry import TOOLS
from tests.tools.doors import Given, directly
from tests.tools.examples import EXAMPLES
from tests.tools.stage import Stage

pytestmark = pytest.mark.django_db(transaction=True)

SAID = CallerOptions(workspace="acme", agent="builder", session="agent:builder:main")
SECRET = "the secret of another folder"
UNWRITABLE = ("nul \0 byte", "half of a \ud83d", "x" * 2_000_001)
_AS_BYTES = [text.encode("utf-8", "surrogatepass") for text in UNWRITABLE]
LEAVING = (
    "../outside/secret.md",
    "memory/../../outside/secret",
    "/etc/../{outside}/secret.md",
    "memory/out/secret.md",
    "out/secret",
    "link",
    "memory/context-link.md",
    "..",
    "memory/2026-11-20.md/below.md",
)
#: What can name a file, and not only speak of one.
_NAMES = {
    "path", "topic", "target", "source", "place", "name", "id", "project", "prefix",
    "task_id", "record_id", "agent", "to", "session_id", "sessionId", "sessionKey",
    "description", "recipient",
}  # fmt: skip
#: Fields that an example leaves out, beside those that it has.
_MORE: Mapping[str, tuple[Mapping[str, Any], ...]] = {
    "context_snap": (
        {"action": "read", "topic": "x"},
        {"action": "checkpoint", "topic": "x", "sessionId": "x", "status": "x"},
    ),
    "memory_append": ({"content": "x", "path": "x"},),
    "lifecycle_event": (
        {
            "host": "openclaw",
            "event": "before_compaction",
            "said": {"event": {"messageCount": 3}, "ctx": {"sessionKey": "x"}},
        },
        {
            "host": "claude-code",
            "event": "PreCompact",
            "said": {"session_id": "x", "cwd": "x", "transcript_path": "x"},
        },
    ),
    "core_memory": (
        {"operation": "export", "id": "x"},
        {"operation": "import", "text": "x", "tags": ["x"]},
    ),
    "core_memory_bundle": (
        {"operation": "import", "bundle": '{"memories": [{"id": "x"}]}', "prefix": "x"},
    ),
    "session_text": ({"objective": "x", "save": True, "description": "x"},),
    "errors_consult": ({"words": "x", "path": "x"},),
    "error_append": ({"text": "x", "path": "x"},),
    "recall": ({"topic": "x", "form": "snap-memory"},),
    "translate": ({"kind": "memory", "name": "x", "to": "handoff", "place": "x"},),
    "handoff_send": ({"to": "x", "context": "x", "topic": "x", "type": "write"},),
}


@pytest.fixture(scope="module")
def stage(
    django_db_setup: None,
    django_db_blocker: DjangoDbBlocker,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Stage]:
    with django_db_blocker.unblock():
        folder = tmp_path_factory.mktemp("stage")
        (folder / "outside").mkdir()
        (folder / "outside/secret.md").write_text(SECRET)
        made = Stage(folder)
        yield made
        made.close()


def put_back(stage: Stage) -> None:
    """Put the workspace back, with links that leave it."""
    stage.put_back()
    outside = stage.root.parent / "outside"
    (stage.root / "memory/out").symlink_to(outside)
    (stage.root / "memory/context-link.md").symlink_to(outside / "secret.md")


def requests_of(name: str) -> Iterator[dict[str, Any]]:
    """Give requests of a tool that between them have its fields."""
    (*_, (called, fields)) = EXAMPLES[name]
    assert called == name
    yield dict(fields)
    yield from map(dict, _MORE.get(name, ()))


def spoiled(fields: Any, value: str, names: set[str] | None = None) -> Iterator[Any]:
    """Give a request with one of its texts replaced, for each of them in turn."""
    parts = fields.items() if isinstance(fields, dict) else enumerate(fields)
    for name, part in parts:
        if isinstance(part, str) and (names is None or name in names):
            changed = [value]
        elif isinstance(part, dict | list):
            changed = list(spoiled(part, value, names))
        else:
            continue
        for each in changed:
            copy = fields.copy()
            copy[name] = each
            yield copy


def asked(name: str, fields: Mapping[str, Any]) -> Given:
    given = directly(SAID, name, fields)
    if given.refused:
        assert given.fields["error"]["code"]
    return given


@pytest.mark.parametrize("name", TOOLS)
def test_what_no_file_can_hold_is_never_written(stage: Stage, name: str) -> None:
    put_back(stage)

    for fields in requests_of(name):
        for value in UNWRITABLE:
            for odd in spoiled(fields, value):
                asked(name, odd)

    written = b"".join(stage.files().values())
    assert not any(value in written for value in _AS_BYTES)


@pytest.mark.parametrize("name", TOOLS)
def test_nothing_outside_is_read_or_written(stage: Stage, name: str) -> None:
    put_back(stage)
    outside = stage.root.parent / "outside"

    for fields in requests_of(name):
        for value in LEAVING:
            for odd in spoiled(fields, value.format(outside=outside), _NAMES):
                given = asked(name, odd)
                assert SECRET not in json.dumps(given.fields) + (given.text or "")

    assert [path.name for path in outside.iterdir()] == ["secret.md"]
    assert (outside / "secret.md").read_text() == SECRET
    around = {path.name for path in stage.root.parent.iterdir()}
    around -= {name for name in around if name.startswith("data-")}
    assert around == {"acme", "model", "outside"}


@pytest.mark.parametrize("session", ["agent:../../x:main", "x" * 500])
def test_a_session_of_any_name_leaves_the_workspace_alone(
    stage: Stage, session: str
) -> None:
    put_back(stage)
    said = SAID.model_copy(update={"session": session})

    for name in TOOLS:
        for fields in requests_of(name):
            directly(said, name, fields)

    assert list((stage.root.parent / "outside").iterdir()) == [
        stage.root.parent / "outside/secret.md"
    ]
    assert_links_are_as_they_were(stage.root)


def assert_links_are_as_they_were(root: Path) -> None:
    links = {str(p.relative_to(root)) for p in root.rglob("*") if p.is_symlink()}
    assert links == {"memory/out", "memory/context-link.md"}
