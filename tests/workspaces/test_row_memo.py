"""Rows that are read again as they were are made once, and are those of the query."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.db.models import Model, QuerySet

from memoryhub.journal.models import SourceFile, Workspace
from memoryhub.journal.page_cache import RowMemo, relate
from tests.factories import imported


@pytest.fixture
def files(
    hub_data: Path, db: None, workspace_root: Path
) -> QuerySet[SourceFile, SourceFile]:
    texts = {f"memory/2026-11-{day:02}.md": f"# Day {day}\n" for day in range(1, 29)}
    workspace = imported(workspace_root, texts)
    return SourceFile.objects.filter(workspace=workspace).order_by("-path")


def columns(rows: list[SourceFile]) -> list[dict[str, Any]]:
    return [{k: v for k, v in vars(row).items() if k != "_state"} for row in rows]


@pytest.mark.parametrize("seed", range(5))
def test_after_any_changes_rows_are_those_of_the_plain_query(
    files: QuerySet[SourceFile, SourceFile], seed: int
) -> None:
    rng, memo = Random(seed), RowMemo[SourceFile](2)
    for _ in range(12):
        narrowed = files.defer("title") if rng.random() < 0.3 else files.all()
        read = memo.read("files", narrowed)
        assert columns(read) == columns(list(narrowed))
        some = files.filter(pk__in=rng.sample([row.pk for row in read], 4))
        change: dict[str, Any] = {"title": str(rng.random())}
        some.update(**rng.choice([change, {"lines": rng.randrange(9)}, {"blob": None}]))
        if rng.random() < 0.2:
            some[0].delete()


def test_a_row_that_is_as_it_was_is_not_made_again(
    files: QuerySet[SourceFile, SourceFile], monkeypatch: pytest.MonkeyPatch
) -> None:
    made, from_db = list[int](), SourceFile.from_db.__func__  # type: ignore[attr-defined]

    def counted(cls: type[Model], *args: Any) -> Any:
        made.append(1)
        return from_db(cls, *args)

    monkeypatch.setattr(SourceFile, "from_db", classmethod(counted))
    memo = RowMemo[SourceFile](1)
    memo.read("one", files)
    SourceFile.objects.filter(path__endswith="-07.md").update(title="New")

    found = memo.read("one", files)
    assert len(made) == len(found) + 1
    assert [row.path for row in found if row.title == "New"] == ["memory/2026-11-07.md"]
    memo.read("another", files)
    memo.read("one", files)
    assert len(made) == 3 * len(found) + 1


def test_what_is_set_on_a_row_is_not_on_that_of_the_next_call(
    files: QuerySet[SourceFile, SourceFile],
) -> None:
    memo, workspace = RowMemo[SourceFile](1), Workspace.objects.get()
    first = memo.read("one", files)
    relate(first, "workspace", {workspace.pk: workspace})
    first[0].title, first[1].anything = "changed", 1  # type: ignore[attr-defined]

    again = memo.read("one", files)
    assert again[0].title != "changed"
    assert not hasattr(again[1], "anything")
    assert first[0].workspace is workspace
    assert again[0].workspace is not workspace
