from __future__ import annotations

import hashlib
import zlib
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bench import board, corpus, floor, growth
from bench.events import multiply_events
from bench.probes import boards, every_page, pages
from bench.results import LIMITS, Result, over_limit, table
from memoryhub.events.models import Event
from memoryhub.handoffs.models import Handoff
from memoryhub.journal import packing
from memoryhub.sync.engine import sync_workspace
from memoryhub.workspaces.services.adding import add_workspace
from tests.factories import imported, snapshot_text


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("corpus")
    corpus.generate(root, files=300, seed=7)
    return root


def contents(root: Path) -> dict[str, str]:
    return {
        path.relative_to(root).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in root.rglob("*")
        if path.is_file()
    }


def test_a_corpus_has_the_number_of_files_asked_for(workspace: Path) -> None:
    assert len(contents(workspace)) == 300


def test_a_corpus_is_the_same_for_the_same_seed(
    workspace: Path, tmp_path: Path
) -> None:
    corpus.generate(tmp_path, files=300, seed=7)

    assert contents(tmp_path) == contents(workspace)


def test_a_corpus_differs_for_another_seed(workspace: Path, tmp_path: Path) -> None:
    corpus.generate(tmp_path, files=300, seed=8)

    assert contents(tmp_path) != contents(workspace)


def test_a_corpus_holds_every_dialect(workspace: Path) -> None:
    text = "".join(
        path.read_text() for path in workspace.rglob("*.*") if path.is_file()
    )

    for mark in (
        "<!-- BIG-MEMORY-SNAPSHOT v1 -->",
        "## Current Status",
        "- **Session Key**: agent:",
        "<task>",
        "## Working Files (Modified)",
        "- Candidate: ",
        "- [ ] ",
    ):
        assert mark in text


def test_files_have_the_size_of_real_logs(workspace: Path) -> None:
    sizes = [path.stat().st_size for path in workspace.rglob("*.md")]

    assert 3_000 < sum(sizes) / len(sizes) < 4_500


def test_text_compresses_as_prose_does(workspace: Path) -> None:
    texts = [path.read_bytes() for path in workspace.rglob("*.md")]

    packed = sum(len(zlib.compress(text)) for text in texts)
    assert 1.8 < sum(map(len, texts)) / packed < 3.2


def test_growing_does_one_edit_of_each_kind(tmp_path: Path) -> None:
    corpus.generate(tmp_path, files=40)
    before = contents(tmp_path)

    edits = growth.grow(tmp_path, seed=3)

    verbs = [edit.verb for edit in edits]
    assert verbs == ["append", "edit", "add", "delete", "move"]
    assert len(contents(tmp_path)) == len(before)
    assert edits[3].path not in contents(tmp_path)
    assert contents(tmp_path)[edits[4].target] == before[edits[4].path]


def test_growing_is_the_same_for_the_same_seed(tmp_path: Path) -> None:
    for name in ("one", "two"):
        corpus.generate(tmp_path / name, files=40)
        growth.grow(tmp_path / name, seed=5)

    assert contents(tmp_path / "one") == contents(tmp_path / "two")


def test_the_import_floor_reads_every_byte(workspace: Path, tmp_path: Path) -> None:
    result = floor.first_import(workspace, tmp_path / "floor.sqlite3", level=1)

    sizes = [p.stat().st_size for p in workspace.rglob("*") if p.is_file()]
    assert (result.files, result.text_bytes) == (300, sum(sizes))
    assert result.sections > 300


def test_the_floor_packs_as_the_product_does() -> None:
    assert floor.COMPRESSION_LEVEL == packing.COMPRESSION_LEVEL


def test_the_no_change_floor_notices_a_change(tmp_path: Path) -> None:
    root, database = tmp_path / "root", tmp_path / "floor.sqlite3"
    corpus.generate(root, files=40)
    floor.first_import(root, database)
    assert floor.no_change(root, database) > 0

    growth.grow(root, seed=1)

    with pytest.raises(ValueError, match="changed"):
        floor.no_change(root, database)


def test_a_result_within_its_multiple_of_the_floor_is_ok() -> None:
    assert Result("first import", 2.9, 1.0).ok is True
    assert Result("first import", 3.1, 1.0).ok is False


def test_a_result_without_a_floor_is_judged_by_itself() -> None:
    assert Result("no-change command", 0.49).ok is True
    assert Result("no-change command", 0.51).ok is False


def test_a_result_without_a_limit_is_only_told() -> None:
    assert Result("export", 100.0, 1.0).ok is None


def test_a_size_that_is_not_judged_is_only_told() -> None:
    assert Result("first import", 9.0, 1.0, files=30_000, judged=False).ok is None


def test_only_broken_limits_fail_a_run() -> None:
    kept, told = Result("peak memory", 249.0), Result("export", 100.0, 1.0)
    broken = Result("peak memory", 251.0)

    assert over_limit([kept, told, broken]) == [broken]


def test_the_table_says_what_is_over() -> None:
    lines = table([Result("first import", 4.0, 1.0, files=10_000)]).splitlines()

    assert lines[0].split() == ["what", "measured", "floor", "ratio", "limit", "ok"]
    assert lines[1].startswith("first import (10,000 files)")
    assert lines[1].endswith("OVER")


def test_every_floor_is_measured(workspace: Path, tmp_path: Path) -> None:
    figures = floor.measure(workspace, tmp_path / "floor")

    assert set(figures) == {"first_import", "no_change", "export", "text"}
    assert all(value > 0 for value in figures.values())
    assert len(contents(tmp_path / "floor" / "export")) == 300


@pytest.mark.django_db
def test_events_are_multiplied_into_the_past() -> None:
    moment = datetime(2026, 11, 20, tzinfo=UTC)
    Event.objects.bulk_create(
        Event(
            id=number << 40,
            workspace_id=1,
            kind=Event.Kind.NOTE,
            occurred_at=moment - timedelta(hours=number),
            recorded_at=moment,
            position=number,
            title=str(number),
        )
        for number in range(1, 41)
    )

    assert multiply_events(1_000) == 1_000

    times = Event.objects.filter(title="1").values_list("occurred_at", flat=True)
    assert len(set(times)) == 25
    assert max(times) == moment - timedelta(hours=1)


@pytest.mark.django_db
def test_an_empty_timeline_cannot_be_multiplied() -> None:
    assert multiply_events(1_000) == 0


@pytest.mark.django_db
def test_every_page_that_is_measured_has_limits(
    hub_data: Path, workspace_root: Path
) -> None:
    log, topic = snapshot_text(1), "# Context: api\n\n## Current Status\nLive.\n"
    files = {"memory/2026-11-20.md": log, "memory/context-api.md": topic}
    workspace = imported(workspace_root, files)
    workspace.slug = "bench"
    workspace.save(update_fields=["slug"])

    figures = pages("100", "2")

    assert figures and set(figures) <= set(LIMITS)
    queries = [Result(name, n) for name, n in figures.items() if "queries" in name]
    assert not over_limit(queries)


@pytest.mark.django_db
def test_the_board_of_handoffs_has_limits(hub_data: Path, workspace_root: Path) -> None:
    board.generate(workspace_root, handoffs=30)
    workspace = add_workspace(workspace_root, slug="bench")
    sync_workspace(workspace)
    assert set(Handoff.objects.values_list("state", flat=True)) >= {"open", "done"}

    figures = boards("2")

    assert figures and set(figures) <= set(LIMITS)
    queries = [Result(name, n) for name, n in figures.items() if "queries" in name]
    assert not over_limit(queries)


@pytest.mark.django_db
def test_every_page_has_a_row_and_answers(hub_data: Path, workspace_root: Path) -> None:
    topic = "# Context: api\n\n## Current Status\nLive.\n"
    files = {"memory/2026-11-20.md": snapshot_text(1), "memory/context-api.md": topic}
    imported(workspace_root, files)

    figures = every_page("2")

    assert {"page, files", "page, snapshot", "page, recall"} <= set(figures)
    assert min(figures.values()) > 0
    assert all(Result(name, share).limit.most == 1.0 for name, share in figures.items())
