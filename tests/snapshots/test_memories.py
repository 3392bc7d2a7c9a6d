from __future__ import annotations

import html as markup
import re
from pathlib import Path

import pytest
from django.test import Client

from memoryhub.dialects.session_compact import (
    TITLES,
    SessionAnalysis,
    render_session,
)
from memoryhub.dialects.session_compact.session_memory import (
    MemoryRecord,
    render_memory_file,
)
from snapshots.models import SessionMemory
from tests.factories import imported
from tests.statements import statements
from tests.writing import say

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("hub_data")]

PLAN = "## Phase 1\n\n- [x] one\n- [>] two\n\n</details>\n\n  indented <b>\n"
ID = "CMEM-20261119-201530"


def memory_file(number: int = 0, **values: object) -> str:
    analysis = SessionAnalysis(
        **{
            "session_id": "WFS-webhooks",
            "project_root": "/srv/app",
            "objective": "Ship the webhooks",
            "plan_source": "workflow",
            "plan": PLAN,
            "working_files": (("/srv/app/deliver.py", "sends one event"),),
            "last_action": "Ran the tests",
            "decisions": (("Use jitter", "backoff collides"),),
            "pending": ("push", "write the docs"),
            **values,
        }  # type: ignore[arg-type]
    )
    memory_id = f"CMEM-20261119-2015{30 + number:02}"
    record = MemoryRecord(memory_id, render_session(analysis), summary="All of it")
    return render_memory_file(record)


def path_of(number: int = 0) -> str:
    return f"memory/sessions/CMEM-20261119-2015{30 + number:02}.md"


def page(client: Client, url: str) -> str:
    response = client.get(f"/w/acme/memories/{url}")
    assert response.status_code == 200, url
    return response.content.decode()


def test_all_fourteen_fields_are_there_in_order(
    client: Client, workspace_root: Path
) -> None:
    imported(workspace_root, {path_of(): memory_file()})

    html = page(client, f"{ID}/")

    assert re.findall(r"<h3[^>]*>([^<]+)</h3>", html) == list(TITLES)
    assert "Ship the webhooks" in html and "backoff collides" in html
    assert "missing in file" not in html


def test_the_plan_is_there_verbatim(client: Client, workspace_root: Path) -> None:
    imported(workspace_root, {path_of(): memory_file()})

    found = re.search(r'id="f4"[^>]*>\n(.*?)</pre>', page(client, f"{ID}/"), re.DOTALL)

    assert found and markup.unescape(found[1]) == PLAN


def test_what_a_file_leaves_out_is_said(client: Client, workspace_root: Path) -> None:
    text = memory_file().replace("## Constraints\n(none)\n\n", "")
    imported(workspace_root, {path_of(): text})

    assert page(client, f"{ID}/").count("missing in file") == 1


def test_the_banner_says_how_it_is_restored(
    client: Client, workspace_root: Path
) -> None:
    imported(workspace_root, {path_of(): memory_file()})

    html = page(client, f"{ID}/")

    assert f"Recovery ID: {ID}" in html
    command = f"memoryhub tool core_memory --operation export --id {ID}"
    assert f"{command} --workspace acme</code>" in html
    assert "ccw core-memory" not in html


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_md_is_the_bytes_of_the_file(
    client: Client, workspace_root: Path, ending: str
) -> None:
    data = memory_file().replace("\n", ending).encode()
    imported(workspace_root, {path_of(): data})

    response = client.get(f"/w/acme/memories/{ID}.md")

    assert response.content == data
    assert response["Content-Type"] == "text/markdown; charset=utf-8"


def test_a_code_leads_to_the_id(client: Client, workspace_root: Path) -> None:
    imported(workspace_root, {path_of(): memory_file()})
    code = SessionMemory.objects.get().code

    response = client.get(f"/w/acme/memories/{code}/")

    assert response["Location"] == f"/w/acme/memories/{ID}/"


def test_two_files_of_one_id_are_asked_about(
    client: Client, workspace_root: Path
) -> None:
    text = memory_file()
    imported(
        workspace_root,
        {path_of(): text, "memory/archive/CMEM-20261119-201530.md": text},
    )

    html = page(client, f"{ID}/")

    assert html.count('class="t cover"') == 2
    for memory in SessionMemory.objects.all():
        assert "Ship the webhooks" in page(client, f"{memory.code}/")


def test_one_that_is_gone_keeps_its_page(client: Client, workspace_root: Path) -> None:
    workspace = imported(workspace_root, {path_of(): memory_file()})
    say(workspace, {path_of(): None})

    html = page(client, f"{ID}/")

    assert "no longer holds this session memory" in html and "Ran the tests" in html


def test_the_list_is_newest_first_and_can_be_filtered(
    client: Client, workspace_root: Path
) -> None:
    files = {path_of(n): memory_file(n, objective=f"Goal {n}") for n in range(3)}
    imported(workspace_root, files)

    html = page(client, "")

    assert re.findall(r">Goal (\d)<", html) == ["2", "1", "0"]
    assert re.findall(r">Goal (\d)<", page(client, "?q=goal+1")) == ["1"]
    assert "Nothing contains this text." in page(client, "?q=nothing")


@pytest.mark.parametrize("query", ["?page=0", "?page=x", "?page=9", "?q=%00"])
def test_odd_questions_are_answered(
    client: Client, workspace_root: Path, query: str
) -> None:
    imported(workspace_root, {path_of(): memory_file()})

    assert page(client, query)


def test_what_agents_write_is_escaped(client: Client, workspace_root: Path) -> None:
    evil = memory_file(objective="<script>x</script>", plan="</pre><img src=x>")
    imported(workspace_root, {path_of(): evil})

    for url in ("", f"{ID}/"):
        html = page(client, url)
        assert "<script>x" not in html and "<img" not in html


def test_words_behind_an_id_are_not_part_of_its_address(
    client: Client, workspace_root: Path
) -> None:
    text = memory_file().replace(f"id: {ID}", f"id: {ID} </b>?q=1")
    imported(workspace_root, {path_of(): text})

    assert f'href="/w/acme/memories/{ID}/"' in page(client, "")
    assert page(client, f"{ID}/")


def test_what_is_not_there_is_not_found(client: Client, workspace_root: Path) -> None:
    imported(workspace_root, {path_of(): memory_file()})

    for url in ("nope/", "nope.md", "0000000000000/"):
        assert client.get(f"/w/acme/memories/{url}").status_code == 404
    assert client.post("/w/acme/memories/").status_code == 405


def test_pages_take_the_same_queries_at_any_length(
    client: Client, workspace_root: Path
) -> None:
    def asked() -> list[int]:
        return [
            statements(lambda: page(client, "")),
            statements(lambda: page(client, f"{ID}/")),
        ]

    workspace = imported(workspace_root, {path_of(n): memory_file(n) for n in range(3)})
    few = asked()
    say(workspace, {path_of(n): memory_file(n) for n in range(3, 29)})

    assert asked() == few
