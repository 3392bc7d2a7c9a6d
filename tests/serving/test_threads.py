"""Requests that take long have threads of their own, so that no page waits for them."""

from __future__ import annotations

import pytest
from django.urls import reverse

from memoryhub.runtime.serving.threads import PagePool, is_bulk_request, is_slow_request

SLOW = {"search", "palette", "export", "handover", "handover-text", "handover-zip"}


def scope_of(name: str, query: bytes = b"", **place: str) -> dict[str, object]:
    path = reverse(name, kwargs={"slug": "acme", **place})
    return {"path": path, "query_string": query}


@pytest.mark.parametrize("name", sorted(SLOW))
def test_what_searches_or_compares_is_slow(name: str) -> None:
    assert is_slow_request(scope_of(name))
    assert not is_bulk_request(scope_of(name))


def test_views_of_a_file_are_slow_and_other_pages_are_not() -> None:
    assert is_slow_request(scope_of("file", b"rev=2&view=blame", path="a.md"))
    assert not is_slow_request(scope_of("file", path="a.md"))
    assert not is_slow_request(scope_of("workspace"))


def test_a_download_of_all_files_is_bulk() -> None:
    assert is_bulk_request(scope_of("export_download"))


def test_only_what_a_person_changes_makes_later_pages_new() -> None:
    pages = PagePool(lambda *_: [], threads=1, waiting=1)

    for method, path in [("GET", "/w/acme/"), ("POST", "/api/v1/workspaces/acme/x")]:
        pages.note_change({"method": method, "path": path})
    assert pages._changed_at == 0

    pages.note_change({"method": "POST", "path": "/w/acme/export/"})
    assert pages._changed_at > 0
