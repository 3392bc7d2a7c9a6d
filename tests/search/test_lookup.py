"""Lines of versions, kept in memory within a bound."""

from __future__ import annotations

from pathlib import Path

import pytest

from memoryhub.journal.models import Blob
from memoryhub.search import texts
from memoryhub.search.texts import texts_of
from tests.factories import imported

pytestmark = pytest.mark.django_db


def test_lines_have_no_ends(hub_data: Path, workspace_root: Path) -> None:
    imported(workspace_root, {"a.md": "one\r\ntwo\r\n"})
    sha256 = Blob.objects.get().sha256

    assert texts_of([sha256, "0" * 64]) == {sha256: ["one", "two", ""]}


def test_versions_asked_for_last_are_kept(
    hub_data: Path, workspace_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(texts, "_MOST_CHARACTERS", 20)
    imported(workspace_root, {f"{n}.md": f"text {n}\n" for n in range(4)})
    known = list(Blob.objects.order_by("id").values_list("sha256", flat=True))
    for sha256 in (known[0], known[1], known[0], known[2]):
        texts_of([sha256])
    Blob.objects.update(data=b"damaged")

    assert texts_of(known).keys() == {known[0], known[2]}


def test_texts_of_two_million_characters_are_kept_at_most(
    hub_data: Path, workspace_root: Path
) -> None:
    imported(workspace_root, {f"{n}.md": f"{n} {'x' * 90_000}\n" for n in range(30)})
    known = list(Blob.objects.values_list("sha256", flat=True))
    texts_of(known)
    Blob.objects.update(data=b"damaged")

    assert 0 < len(texts_of(known)) * 90_000 < 2_000_000
