"""Pages of large files: they answer in time with what they have, and say so."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from django.test import Client

from memoryhub.sync.engine import sync_workspace
from memoryhub.web.files.presenters import history
from tests.factories import imported, write

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("hub_data")]

PATH = "memory/a.md"
PAGE = f"/w/acme/files/{PATH}"


def similar(lines: int, seed: int) -> str:
    """Return lines of which each differs from the others in a number alone."""
    chance = random.Random(seed)
    numbers = (chance.randrange(10**9) for _ in range(lines))
    return "".join(f"the job {n} of the queue took {n // 7} ms\n" for n in numbers)


def versions_of(root: Path, *texts: str) -> None:
    workspace = imported(root, {PATH: texts[0]})
    for text in texts[1:]:
        write(root, {PATH: text})
        sync_workspace(workspace)


def page(client: Client, query: str) -> str:
    response = client.get(f"{PAGE}?{query}")
    assert response.status_code == 200
    return response.content.decode()


def test_what_is_not_compared_in_time_is_shown_as_whole_blocks(
    client: Client, workspace_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    versions_of(workspace_root, similar(200, 1), similar(200, 2))
    complete = page(client, "view=history&rev=2")
    monkeypatch.setattr(history, "_SECONDS", 0)

    html = page(client, "view=history&rev=2")

    assert "<mark>" in complete and "Too large to compare" not in complete
    assert "<mark>" not in html and "Too large to compare line by line" in html
    assert html.count('class="dl') == complete.count('class="dl') == 400


def test_all_changes_of_a_large_comparison_are_a_bounded_page(
    client: Client, workspace_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history, "_MOST_CHANGES", 2_500)
    versions_of(workspace_root, similar(2_000, 1), similar(2_000, 2))

    html = page(client, "view=history&rev=2&all=1")

    assert html.count('class="dl') == 2_500
    assert "Only the first changes are shown" in html


def test_secrets_of_long_texts_are_masked_near_what_is_shown(
    client: Client, workspace_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history, "_READ_WHOLE", 1_000)
    log = similar(1_000, 1)
    secret = "**Password:** hunter2-hunter2\n"
    versions_of(workspace_root, log, f"{log}{secret}")

    html = page(client, "view=history&rev=2")

    assert "hunter2-hunter2" not in html and "Password" in html


def test_lines_that_blame_does_not_reach_in_time_are_marked(
    client: Client, workspace_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = ("one\n", "one\ntwo\n", "zero\none\ntwo\n", "zero\none\nTWO\n")
    versions_of(workspace_root, *texts)
    monkeypatch.setattr(history, "_SECONDS", 0)

    html = page(client, "view=blame")

    assert html.count("or earlier</span>") == 1
    assert f'href="{PAGE}?view=blame&amp;rev=3">Compare older versions</a>' in html
    monkeypatch.setattr(history, "_SECONDS", 2)
    assert "or earlier" not in page(client, "view=blame")
