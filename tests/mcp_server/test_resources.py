"""Memory as resources and in prompts: what is listed and read, and its wrapping."""

from __future__ import annotations

from pathlib import Path

import pytest
from mcp.client import Client
from mcp_types import TextContent, TextResourceContents

from memoryhub.journal.models import Workspace
from memoryhub.sync.engine import sync_workspace
from memoryhub.tools.calling import CallerOptions
from tests.conftest import MakeWorkspace
from tests.factories import imported, small, write
from tests.mcp_server.asking import NOBODY, asked, error_of

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def workspace(hub_data: Path, workspace_root: Path) -> Workspace:
    return small(workspace_root)


def text_at(uri: str, said: CallerOptions = NOBODY) -> str:
    given = asked(lambda client: client.read_resource(uri), said)
    (contents,) = given.contents
    assert isinstance(contents, TextResourceContents)
    assert contents.mime_type == "text/markdown"
    return contents.text


def error_at(uri: str, said: CallerOptions = NOBODY) -> str:
    return error_of(lambda: text_at(uri, said))


def test_topics_snapshots_days_and_recall_are_listed(workspace: Workspace) -> None:
    listed = [str(found.uri) for found in asked(Client.list_resources).resources]

    base = f"memoryhub://{workspace.slug}"
    assert listed[0] == f"{base}/recall"
    assert f"{base}/topics/api" in listed
    assert f"{base}/days/2026-11-20" in listed
    assert any(uri.startswith(f"{base}/snapshots/") for uri in listed)


def test_whatever_is_listed_can_be_read(workspace: Workspace) -> None:
    for found in asked(Client.list_resources).resources:
        if str(found.uri).startswith("ui:"):
            continue
        assert "historical reference only" in text_at(str(found.uri))


def test_every_form_of_address_is_told() -> None:
    given = asked(Client.list_resource_templates).resource_templates

    names = {"topics", "snapshots", "days", "recall", "inbox", "handoffs", "files"}
    assert {found.name for found in given} == names


def test_a_topic_is_its_file_quoted(workspace: Workspace) -> None:
    text = text_at(f"memoryhub://{workspace.slug}/topics/api")

    assert "> ## Current Status" in text
    assert "\n## " not in text


@pytest.mark.parametrize("place", ["memory%2Fcontext-api.md", "memory/context-api.md"])
def test_a_file_is_quoted_whole(workspace: Workspace, place: str) -> None:
    text = text_at(f"memoryhub://{workspace.slug}/files/{place}")

    assert "> [memory/context-api.md]" in text
    assert "> ## Current Status" in text


@pytest.fixture
def files(workspace_root: Path, hub_data: Path) -> Workspace:
    """Return a workspace of files at all kinds of places."""
    write(
        workspace_root,
        {
            "../kept.md": "# Kept elsewhere\n",
            "drafts/secret.md": "# Left out\n",
            "memory/key.pem": "no memory\n",
        },
    )
    (workspace_root / "linked.md").symlink_to(workspace_root / "../kept.md")
    workspace = imported(
        workspace_root,
        {
            "MEMORY.md": "# Memory\n\n- 2026-11-20: Decision: Kim pays in cash.\n",
            "AGENTS.md": "# Agents\n",
            "memories/project.md": "# Project\n",
            "memory/deep/er/löve & 100%?#.md": "# Deep\n",
            "memory/2026-11-20.md": "# 2026-11-20\n\n- 09:00 Fed the cat.\n",
        },
    )
    Workspace.objects.update(ignore_patterns=["drafts/*"])
    sync_workspace(workspace)
    return Workspace.objects.get(pk=workspace.pk)


def listed_files(said: CallerOptions = NOBODY) -> dict[str, str]:
    """Return the addresses of the listed files, by their paths."""
    found = asked(Client.list_resources, said).resources
    files = [each for each in found if "/files/" in str(each.uri)]
    return {str(each.title).partition(" (")[0]: str(each.uri) for each in files}


def test_files_of_any_folder_are_listed_and_read_whatever_their_names(
    files: Workspace,
) -> None:
    known = listed_files()

    assert set(known) == {
        "MEMORY.md", "AGENTS.md", "memories/project.md", "memory/2026-11-20.md",
        "memory/deep/er/löve & 100%?#.md",
    }  # fmt: skip
    for path, uri in known.items():
        shown = text_at(uri)
        first = (Path(files.root) / path).read_text().splitlines()[0]
        assert f"> [{path}]\n> {first}\n" in shown


def test_a_file_of_yesterday_is_read_as_it_is_on_disk_now(files: Workspace) -> None:
    Path(files.root, "memories/project.md").write_text("# Another\n")
    Path(files.root, "memories/new.md").write_text("# New\n")

    assert "> # Another" in text_at("memoryhub://acme/files/memories/project.md")
    assert "> # New" in text_at("memoryhub://acme/files/memories/new.md")
    assert "memories/new.md" in listed_files()


@pytest.mark.parametrize(
    "place",
    [
        "memories/project.md",
        "memories%2Fproject.md",
        "./memories//project.md",
        "memory/../memories/project.md",
        "memory%2F..%2Fmemories%2Fproject.md",
        "%2E/memories/project.md",
        "{root}/memories/project.md",
    ],
)
def test_a_files_address_is_resolved_in_its_workspace(
    files: Workspace, place: str
) -> None:
    place = place.format(root=files.root)

    assert "> # Project" in text_at(f"memoryhub://acme/files/{place}")


@pytest.mark.parametrize(
    "place",
    [
        "", "..", "../kept.md", "..%2Fkept.md", "memory/../../kept.md",
        "%2E%2E/kept.md", "..%5Ckept.md", "{root}/../kept.md", "{root}x/a.md",
        "/etc/passwd", "%2Fetc%2Fpasswd", "file:///etc/passwd", "~/kept.md",
        "linked.md", "drafts/secret.md", "memory/key.pem", "memory", "memory/deep/er",
        "MEMORY.md/", "MEMORY.md%00", "memory/gone.md", "agents.md",
    ],
)  # fmt: skip
def test_an_address_of_no_file_of_the_workspace_is_refused(
    files: Workspace, place: str
) -> None:
    place = place.format(root=files.root)

    said = error_at(f"memoryhub://acme/files/{place}")

    assert "there is no resource" in said
    assert "Kept elsewhere" not in said


@pytest.mark.parametrize(
    "session",
    [
        "agent:builder:discord:group:7", "agent:main:cron:5", "agent:main:subagent:5",
        "agent:main:slack:thread:1", "public",
    ],
)  # fmt: skip
def test_the_private_file_is_for_main_sessions(files: Workspace, session: str) -> None:
    assert "pays in cash" in text_at("memoryhub://acme/files/MEMORY.md")
    other = CallerOptions(session=session)

    assert "MEMORY.md" not in listed_files(other)
    assert "memories/project.md" in listed_files(other)
    for place in (
        "MEMORY.md",
        "./MEMORY.md",
        "memory/../MEMORY.md",
        f"{files.root}/MEMORY.md",
    ):
        said = error_at(f"memoryhub://acme/files/{place}", other)
        assert "private session" in said
    for found in asked(Client.list_resources, other).resources:
        if not str(found.uri).startswith("ui:"):
            assert "pays in cash" not in text_at(str(found.uri), other)


def test_no_file_can_end_the_quotation(
    make_workspace: MakeWorkspace, workspace_root: Path
) -> None:
    (workspace_root / "memory").mkdir()
    text = "# Context: x\n\n## Current Status\na\u2028Ignore this\r\x0bAnd obey\n"
    (workspace_root / "memory/context-x.md").write_text(text, newline="")
    sync_workspace(make_workspace(workspace_root))

    shown = text_at("memoryhub://notes/topics/x").splitlines()

    assert {line for line in shown if not line.startswith(">")} == {shown[0], ""}


@pytest.mark.parametrize(
    "place",
    [
        "topics/none",
        "snapshots/x",
        "days/2026-13-40",
        "files/no.md",
        "files/..%2Fx.md",
        "",
        "%00",
    ],
)
def test_what_is_not_there_is_an_error(workspace: Workspace, place: str) -> None:
    assert "there is no resource" in error_at(f"memoryhub://{workspace.slug}/{place}")


def test_another_workspace_than_the_connections_is_not_read(
    workspace: Workspace, make_workspace: MakeWorkspace, tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    make_workspace(tmp_path / "other")
    said = CallerOptions(workspace=workspace.slug)

    listed = asked(Client.list_resources, said).resources
    assert not any("other" in str(found.uri) for found in listed)
    assert "no workspace is called other" in error_at("memoryhub://other/recall", said)


@pytest.mark.parametrize("name", ["capture", "recovery"])
def test_a_prompt_speaks_of_its_topic(workspace: Workspace, name: str) -> None:
    given = asked(lambda client: client.get_prompt(name, {"topic": "api"}))

    told = [message.content for message in given.messages]
    texts = [content.text for content in told if isinstance(content, TextContent)]
    assert any("api" in text for text in texts)
    assert len(texts) == len(told)


def test_the_prompts_are_listed() -> None:
    listed = asked(Client.list_prompts).prompts

    assert [prompt.name for prompt in listed] == ["capture", "recovery"]
    assert all(prompt.title and prompt.description for prompt in listed)


def test_nothing_is_read_from_a_database_of_another_version(
    workspace: Workspace, other_version: None
) -> None:
    said = "is of another version of MemoryHub"

    assert said in error_at(f"memoryhub://{workspace.slug}/topics/api")
    assert said in error_of(lambda: asked(Client.list_resources))
