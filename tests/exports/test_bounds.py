"""Previews and downloads of many files stay within their time and size."""

from __future__ import annotations

import re
from copy import copy
from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from memoryhub.journal.models import Operation, Workspace
from memoryhub.sync.engine import sync_workspace
from memoryhub.web import exports as views
from tests.exports.previews import PAGE, fields, opened, path_of, put, set_status


def test_the_number_of_queries_does_not_grow_with_files(
    client: Client, workspace: Workspace, workspace_root: Path
) -> None:
    counts = []
    client.get(PAGE)
    for names in (range(2), range(2, 20)):
        for n in names:
            put(workspace_root, f"more{n}", "Live.")
        sync_workspace(workspace)
        for n in names:
            set_status(workspace, f"more{n}", "Done.")
        with CaptureQueriesContext(connection) as asked:
            client.get(PAGE)
        counts.append(len(asked))

    assert counts[0] == counts[1]


def test_a_preview_has_the_files_there_is_time_for(
    client: Client, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(views, "_PREVIEW_SECONDS", 0)
    for name in ("api", "billing", "docs"):
        set_status(workspace, name, "Done.")
    html, form = opened(client)
    assert len(form["seen"]) == 1 and "2 more files wait" in html
    (following,) = re.findall(r'href="([^"]*)">Other files', html)
    second = client.get(following.replace("&amp;", "&")).content.decode()
    assert path_of("billing") in fields(second)["seen"][0]
    (row,) = re.findall(r'class="cover" href="([^"]*)"', second)
    again = client.get(row.replace("&amp;", "&")).content.decode()
    assert fields(again)["file"] == [path_of("billing")]

    client.post(PAGE, {**form, "more": "2", "action": "write"})

    states = Operation.objects.order_by("seq").values_list("state", flat=True)
    assert list(states) == ["applied", "staged", "staged"]


def test_a_preview_of_very_many_files_is_a_bounded_page(
    client: Client, workspace: Workspace
) -> None:
    set_status(workspace, "api", "Done.")
    first = Operation.objects.get()
    rows = [copy(first) for _ in range(10_000)]
    for number, row in enumerate(rows, 1):
        row.pk, row.seq = None, first.seq + number
        row.key, row.target = f"k{number}", path_of(f"other-{number}")
    Operation.objects.bulk_create(rows)

    html, form = opened(client)

    assert 0 < len(form["seen"]) <= 500
    assert f"{10_001 - len(form['seen'])} more files wait" in html


def test_a_download_that_takes_too_long_names_the_command(
    client: Client, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(views, "_DOWNLOAD_SECONDS", 0)

    for query in ({}, {"canonical": "on"}, {"as_of": "2030-01-01T00:00"}):
        answer = client.get(f"{PAGE}download/", query)

        assert answer.status_code == 503
        assert "memoryhub export notes --zip notes.zip" in answer.content.decode()
