"""Searches that would take long: they end in time, and say what they left out."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from string import ascii_lowercase
from types import SimpleNamespace
from typing import Any

import pytest

from bench.retrieval.plain_text import Logs, words_of_documentation
from bench.retrieval.strange import strange_queries
from memoryhub.journal.models import Workspace
from memoryhub.people.callers import Caller
from memoryhub.search import queries, store
from memoryhub.search.lookup import Lookup
from memoryhub.search.queries import search
from memoryhub.search.ranking import Candidate, score_lines
from memoryhub.sync.engine import sync_workspace
from memoryhub.tools.calling import call
from memoryhub.tools.memory_files import SearchRequest
from memoryhub.tools.registry import tool_named
from memoryhub.values import budgets
from memoryhub.web.search import note_text
from tests.conftest import MakeWorkspace
from tests.growth import steps_of


@pytest.fixture
def wordy(workspace_root: Path, make_workspace: MakeWorkspace) -> Workspace:
    """Return a workspace with 5,000 words that start with the same letter."""
    chance = random.Random(1)
    words = ["w" + "".join(chance.choices(ascii_lowercase, k=7)) for _ in range(5_000)]
    lines = [" ".join(words[at : at + 10]) for at in range(0, 5_000, 10)]
    (workspace_root / "MEMORY.md").write_text("# Words\n\n" + "\n".join(lines))
    workspace = make_workspace(workspace_root)
    sync_workspace(workspace)
    return workspace


@pytest.mark.parametrize("between", [" ", " OR "])
def test_many_unknown_words_take_little_more_steps_than_one(
    wordy: Workspace, monkeypatch: pytest.MonkeyPatch, between: str
) -> None:
    """Steps of the database count, too: it asks the budget at each fiftieth."""
    monkeypatch.setattr(budgets, "_STEPS", 50)
    unknown = ["".join(("wq", *two, "zz")) for two in product("bcdfghjklmnp", repeat=2)]
    search(wordy, unknown.pop())
    many = between.join(unknown[:110])

    one = steps_of(lambda: search(wordy, unknown[-1]))
    assert steps_of(lambda: search(wordy, many)) < 8 * one


def test_a_search_that_takes_too_long_gives_what_it_has(
    wordy: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queries, "_SECONDS", 0)

    found = search(wordy, (Path(wordy.root) / "MEMORY.md").read_text()[9:200])

    assert 0 < len(found.hits) < 9
    assert [note.code for note in found.notes] == ["stopped"]
    assert "narrow the search" in note_text(found.notes[0])


def test_a_statement_under_way_is_interrupted(
    wordy: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queries, "_SECONDS", 0)
    monkeypatch.setattr(budgets, "_STEPS", 1)

    found = search(wordy, "words")

    assert (found.hits, [note.code for note in found.notes]) == ((), ["stopped"])
    assert not found.behind


def test_agents_are_told_that_a_search_was_stopped(
    wordy: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queries, "_SECONDS", 0)
    asked = SearchRequest(query="words")

    told = call(tool_named("memory_search"), Caller(wordy, "scout"), asked).as_text()

    assert "narrow it" in told


def test_processor_time_is_spent_by_work_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    waited = Clock()
    worked = Clock()
    clocks = SimpleNamespace(monotonic=waited, thread_time=worked)
    monkeypatch.setattr(budgets, "time", clocks)
    budget = budgets.Budget.of(0.05, worked)

    waited.now = 10.0
    assert not budget.is_spent

    worked.now = 0.06
    assert budget.is_spent


class Clock:
    """A clock that stands until it is set."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def noisy(workspace_root: Path, make_workspace: MakeWorkspace) -> Workspace:
    """Return a workspace of 600 blocks that have nearly all words and a name."""
    logs = Logs(3, words_of_documentation()[:3_000])
    logs.write(workspace_root, files=60, entries=10)
    for path in workspace_root.rglob("*.md"):
        text = path.read_text().replace("\n\n- ", "\n\n- See auth_token. RFC: ")
        path.write_text(text)
    workspace = make_workspace(workspace_root)
    sync_workspace(workspace)
    return workspace


@pytest.mark.parametrize("options", [{"token_budget": 1_000}, {"recent": True}])
def test_strange_queries_read_few_blocks_with_few_statements(
    noisy: Workspace, monkeypatch: pytest.MonkeyPatch, options: dict[str, Any]
) -> None:
    work: Counter[str] = Counter()

    def all_rows(lookup: Lookup, sql: str, *values: object) -> list[store.Row]:
        work["statements"] += 1
        return select(lookup, sql, *values)

    def scored(blocks: Sequence[Candidate], *rest: Any, **more: Any) -> Any:
        work["blocks"] += len(blocks)
        return score_lines(blocks, *rest, **more)

    select = Lookup._all
    monkeypatch.setattr(Lookup, "_all", all_rows)
    monkeypatch.setattr(queries, "score_lines", scored)
    words = ["auth_token", "RFC", *words_of_documentation()[:3_000]]
    for kind, text in strange_queries(5, words, 114):
        work.clear()
        found = search(noisy, text, **options)

        assert not found.behind, text
        if not found.query.filters:
            assert work["blocks"] < 400, kind
            assert work["statements"] < 400, kind


def test_a_name_in_many_blocks_is_found_beside_another_word_and_in_the_newest(
    noisy: Workspace,
) -> None:
    root = Path(noisy.root)
    (root / "memory" / "2019-01-02.md").write_text("auth_token: the walrus has it.\n")
    sync_workspace(noisy)

    beside = search(noisy, "auth_token walrus", token_budget=200)
    alone = search(noisy, "auth_token", limit=10)

    assert beside.hits[0].path == "memory/2019-01-02.md"
    assert len(alone.hits) == 10
    assert all("auth_token" in hit.text for hit in alone.hits)
    assert alone.more
