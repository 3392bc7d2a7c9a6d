"""Two thousand hostile texts in the fields of today's hosts: pages show, none acts."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

import pytest
from django.test import Client

from memoryhub.journal.models import Problem, SourceFile, Workspace
from memoryhub.sync.engine import sync_workspace
from memoryhub.sync.export import workspace_files
from memoryhub.workspaces.services.adding import add_workspace
from tests.browser.payloads import COUNT, payloads
from tests.layouts.hostile_fields import hostile_files
from tests.writing import write_files

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("hub_data")]

_LISTS = (
    "", "days/", "days/2026-11-05/", "days/2026-10-05/", "timeline/", "timeline/?run=1",
    "open-items/", "open-items/?state=done", "decisions/", "topics/", "agents/",
    "sessions/", "unassigned/", "files/", "health/", "handoffs/", "handover/",
    "recall/", "search/?q=script&stay=1", "search/?q=img&stay=1", "imports/1/",
)  # fmt: skip
_DIALECTS = frozenset(
    {"agent_team", "beads", "handoff_note", "basic_memory", "wiki_page", "spec_kit"}
    | {"exec_plan", "decision_record", "rollout_summary", "raw_memories"}
    | {"memory_bank", "memory_index", "plain"}
)
#: Elements that no page has, however they are written in a file.
_FORBIDDEN = frozenset(
    {"iframe", "object", "embed", "base", "math", "plaintext", "frameset", "marquee"}
)


class _Faults(HTMLParser):
    """Collects what in a page came from a text but is markup."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _FORBIDDEN:
            self.found.append(tag)
        for name, value in attrs:
            self._judge(tag, name, "".join((value or "").split()).casefold())

    def _judge(self, tag: str, name: str, value: str) -> None:
        is_address = name in ("href", "src", "action", "formaction", "data-href")
        acts = value.startswith(("javascript:", "data:", "vbscript:"))
        if name.startswith("on") or name in ("style", "srcdoc"):
            self.found.append(f"{tag} {name}")
        elif is_address and acts:
            self.found.append(f"{tag} {name}={value[:60]}")
        elif name.startswith(("hx-on", "hx-vals")):
            self.found.append(f"{tag} {name}")


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """Return an imported workspace with all of the texts."""
    root = tmp_path / "hosts"
    write_files(root, {**hostile_files(payloads())})
    workspace = add_workspace(root, slug="acme", name="Acme")
    sync_workspace(workspace)
    workspace.refresh_from_db()
    return workspace


def faults_of(page: str) -> list[str]:
    parser = _Faults()
    parser.feed(page)
    return parser.found


def assert_nothing_is_changed_by_an_export(workspace: Workspace) -> None:
    root = Path(workspace.root)
    written = {file.path: file.data for file in workspace_files(workspace)}
    assert written == {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file()
    }


def test_markup_is_found() -> None:
    page = "<img src=x onerror=a><iframe></iframe><a href='java\nscript:a'>a</a>"

    assert faults_of(page) == ["img onerror", "iframe", "a href=javascript:a"]


def test_no_text_of_a_host_becomes_markup(client: Client, workspace: Workspace) -> None:
    assert len(payloads()) == COUNT
    failed = Problem.objects.filter(code_name="not-imported")
    assert not failed.exists()
    formats = SourceFile.objects.order_by("format", "path").values_list(
        "format", "path"
    )
    first = dict(reversed(list(formats)))
    assert first.keys() >= _DIALECTS
    files = [f"files/{path}" for path in first.values()]

    for address in (*_LISTS, *files):
        answer = client.get(f"/w/acme/{address}", follow=True)
        assert answer.status_code == 200, address
        assert faults_of(answer.content.decode()) == [], address
    assert_nothing_is_changed_by_an_export(workspace)
