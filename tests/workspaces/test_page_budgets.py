"""Pages of large files: they answer in time with what they have, and say so."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from django.test import Client

from memoryhub.formats.secrets import MASK
from memoryhub.journal import versions
from memoryhub.sync.engine import sync_workspace
from memoryhub.web.files import history
from memoryhub.web.files import pages as files
from memoryhub.web.files.pages import beginning_of
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


def test_versions_whose_lines_are_not_counted_in_time_say_so(
    client: Client, workspace_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(versions, "_TOGETHER", 1)
    versions_of(workspace_root, "one\n", "one\ntwo\n")
    monkeypatch.setattr(history, "_SECONDS", 0)
    assert page(client, "view=history").count("not counted yet") == 2

    monkeypatch.setattr(history, "_SECONDS", 2)
    html = page(client, "view=history")
    assert "not counted yet" not in html and html.count("</span>+1</span>") == 2


def test_changes_not_searched_for_secrets_in_time_are_left_out(
    client: Client, workspace_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = similar(1_000, 1)
    versions_of(workspace_root, log, f"first\n{log}password: hunter2-hunter2\n")
    monkeypatch.setattr(history, "_READ_WHOLE", 1_000)
    monkeypatch.setattr(history, "_SEARCH_SECONDS", 0)

    html = page(client, "view=history&rev=2")

    assert "hunter2-hunter2" not in html and html.count('class="dl') == 4
    assert "Only the first changes are shown" in html


def test_long_lines_are_compared_in_part(client: Client, workspace_root: Path) -> None:
    long = "many words " * 1_000
    versions_of(workspace_root, "old\n", f"password: hunter2-hunter2 {long}\n")

    html = page(client, "view=history&rev=2")

    assert 4_000 < html.count("many words") * 10 < 6_000
    assert "hunter2-hunter2" not in html and "Long lines are shown in part" in html


@pytest.mark.parametrize("view", ["raw", "rendered", "blame"])
def test_of_a_long_line_a_page_shows_the_beginning(
    client: Client, workspace_root: Path, monkeypatch: pytest.MonkeyPatch, view: str
) -> None:
    monkeypatch.setattr(files, "CHARACTER_LIMIT", 1_000)
    versions_of(workspace_root, "words " * 500)

    html, everything = page(client, f"view={view}"), page(client, f"view={view}&all=1")

    assert html.count("words ") < 200 and "Show all of them" in html
    assert everything.count("words") >= 500 and "Show all of them" not in everything


@pytest.mark.parametrize("behind", ["", "\nmore\n"])
def test_a_secret_across_the_end_of_a_beginning_is_masked(behind: str) -> None:
    text = f"first\npassword: hunter2-hunter2{behind}"

    cut = beginning_of(text[6:] + behind, 15, secrets=False)
    whole = beginning_of(text, 1_000, secrets=False)

    assert cut.is_cut and "hunter2" not in cut.text and len(cut.text) == 15
    assert whole.text == f"first\npassword: {MASK}{behind}" and whole.masked == 1


def test_only_the_beginning_of_a_long_text_is_searched(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(files, "_MARGIN", 10)
    text = "words\n" * 100 + "password: hunter2-hunter2\n"

    found = beginning_of(text, 20, secrets=False)

    assert (found.text, found.masked) == ("words\n" * 3, 0)
