"""Queries that are compiled once answer as those that are compiled each time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.db.models import Q

from memoryhub.journal.models import FileStat, Operation, SourceFile, Workspace
from memoryhub.journal.prepared import Prepared
from tests.factories import imported

FILES = {"memory/2026-11-20.md": "# A day\n\n- one\n", "notes.md": "x\n", "b%s.md": "y"}


@pytest.fixture
def workspace(hub_data: Path, db: None, workspace_root: Path) -> Workspace:
    return imported(workspace_root, FILES)


@pytest.mark.parametrize("path", [*FILES, "none.md", "value 103811768516608", "%s"])
def test_rows_are_those_of_the_query_in_all_its_forms(
    workspace: Workspace, path: str
) -> None:
    def files(workspace_id: int, path: str) -> Any:
        return SourceFile.objects.filter(workspace_id=workspace_id, path=path)

    forms: tuple[Callable[..., Any], ...] = (
        files,
        lambda *values: files(*values).values(),
        lambda *values: files(*values).values_list("path", "recorded_at", "blob__size"),
        lambda *values: files(*values).values_list("title", flat=True)[:1],
    )
    for form in forms:
        ask: Prepared[Any] = Prepared(form, int, str)
        for _ in range(2):
            assert ask(workspace.pk, path) == list(form(workspace.pk, path))


def test_a_value_may_come_twice_and_constants_stay(workspace: Workspace) -> None:
    def held(path: str) -> Any:
        either = Q(path=path) | Q(path__gt=path, size=2)
        return FileStat.objects.filter(either, held_at__isnull=True).order_by("path")

    ask = Prepared(lambda path: held(path).values_list("path", flat=True), str)

    assert ask("b%s.md") == ["b%s.md", "notes.md"]
    assert ask("notes.md") == ["notes.md"]


def test_models_are_whole_and_can_be_saved(workspace: Workspace) -> None:
    ask = Prepared(lambda pk: SourceFile.objects.filter(pk=pk), int)
    file = SourceFile.objects.get(path="notes.md")

    (found,) = ask(file.pk)
    found.title = "Renamed"
    found.save(update_fields=["title"])

    assert SourceFile.objects.get(pk=file.pk).title == "Renamed"
    assert found.workspace == workspace


def test_models_come_with_related_rows(
    workspace: Workspace, django_assert_num_queries: Any
) -> None:
    ask = Prepared(
        lambda path: SourceFile.objects.select_related(
            "workspace", "blob__base"
        ).filter(path=path),
        str,
    )
    ask("notes.md")

    with django_assert_num_queries(1):
        (found,) = ask("notes.md")
        assert found.workspace == workspace
        assert found.blob is not None
        assert (found.blob.size, found.blob.base) == (2, None)


def test_other_forms_of_rows_are_refused() -> None:
    ask: Prepared[Any] = Prepared(
        lambda: Operation.objects.values_list("key", named=True)
    )

    with pytest.raises(TypeError, match="prepared"):
        ask()
