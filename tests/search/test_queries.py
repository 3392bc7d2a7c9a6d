"""Searching: what is found, what it belongs to, what comes first."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path
from random import Random

import pytest
from django.db import connection

from memoryhub.journal.models import Workspace
from memoryhub.search.queries import search
from memoryhub.search.results import SearchResults
from memoryhub.search.things import _SELECTS, _SPANS
from memoryhub.sync.edit.editing import apply_edit
from memoryhub.sync.edit.edits import Edit
from tests.factories import imported, make_workspace_row, small
from tests.search.facts import FACTS, FILLER, SUBJECTS
from topics.models import Decision

pytestmark = pytest.mark.django_db


@pytest.fixture
def workspace(hub_data: Path, workspace_root: Path) -> Workspace:
    return small(workspace_root)


@pytest.fixture
def mixed(hub_data: Path, workspace_root: Path) -> Workspace:
    """Return a workspace of notes in several scripts, with names of things."""
    return imported(
        workspace_root,
        {
            "memory/2025-01-03.md": "# 2025-01-03\n\nRaised ERR_DUPLICATE_KEY once.\n",
            "memory/2026-11-19.md": "# 2026-11-19\n\n"
            + "## Keys\n\nDuplicate key errors: a duplicate key is an error.\n" * 5,
            "memory/notes.md": "# Paths\n\nsee src/api/auth.ts, not src/api/auth_ts\n",
            "memory/zh.md": "# 记忆\n\n我们做了记忆压缩，请存一下。\n",
            "memory/ja.md": "# 移行\n\n昨日データベースを移行した\n",
            "memory/session.md": "# Keys\n\nbound agent:main:discord:channel:42\n",
        },
    )


def paths(results: SearchResults) -> list[str]:
    return list(dict.fromkeys(hit.path for hit in results.hits))


def kinds(results: SearchResults) -> set[str]:
    return {hit.thing.kind for hit in results.hits}


def test_lines_are_given_with_their_place(workspace: Workspace) -> None:
    hit = search(workspace, "looked queue").hits[0]

    assert (hit.path, hit.first_line, hit.last_line) == ("memory/2026-11-20.md", 3, 4)
    assert hit.text == "## 07:30 - Started\nLooked at the queue."
    assert [hit.text[m.start : m.end] for m in hit.marks] == ["Looked", "queue"]
    assert hit.thing.kind == "note"


def test_words_are_found_in_other_forms(workspace: Workspace) -> None:
    assert search(workspace, "delivering an event").hits


def test_lines_belong_to_the_smallest_thing(workspace: Workspace) -> None:
    found = search(workspace, "poll every minute")

    assert found.hits[0].thing.kind == "decision"
    assert found.hits[0].thing.title == "Poll every minute"
    assert kinds(search(workspace, "somebody has to ask goal")) == {"snapshot"}
    assert "topic" in kinds(search(workspace, "endpoints live"))


def test_groups_hold_each_thing_once(workspace: Workspace) -> None:
    groups = search(workspace, "deliver events minute").groups
    things = [hits[0].thing.id for hits in groups["snapshots"]]

    assert len(things) == len(set(things)) == 2
    assert {"decisions", "snapshots"} <= groups.keys()


def test_facets_count_what_was_found(workspace: Workspace) -> None:
    facets = {(f.name, f.value): f.count for f in search(workspace, "events").facets}

    assert facets["kind", "snapshot"] == 2
    assert facets["topic", "api"] >= 2
    assert facets["agent", "builder"] >= 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("events kind:snapshot", {"snapshot"}),
        ("minute kind:decision", {"decision"}),
        ("deliver -kind:snapshot", {"decision", "note", "topic", "file"}),
        ("agent:builder kind:snapshot", {"snapshot"}),
        ("topic:api kind:topic", {"topic"}),
        ("queue kind:note", {"note"}),
        ("log kind:file", {"file"}),
        ("events agent:nobody", set()),
        ("events topic:nothing", set()),
        ("events is:blocked", set()),
    ],
)
def test_filters_narrow(workspace: Workspace, text: str, expected: set[str]) -> None:
    found = kinds(search(workspace, text))

    assert found <= expected
    assert bool(found) == bool(expected) or text.startswith("deliver -")


def test_days_narrow(mixed: Workspace) -> None:
    assert paths(search(mixed, "key before:2026")) == ["memory/2025-01-03.md"]
    assert "memory/2025-01-03.md" not in paths(search(mixed, "key after:2026-01-01"))
    assert paths(search(mixed, "key -after:2026")) == ["memory/2025-01-03.md"]


def test_paths_narrow(mixed: Workspace) -> None:
    assert paths(search(mixed, "key path:2025")) == ["memory/2025-01-03.md"]
    assert paths(search(mixed, "key path:memory/2025*")) == ["memory/2025-01-03.md"]
    assert paths(search(mixed, "key path:*/[")) == []


def test_a_phrase_is_needed_and_minus_forbids(workspace: Workspace) -> None:
    assert search(workspace, '"every minute"').hits
    nowhere = search(workspace, '"minute every"')
    assert [note.code for note in nowhere.notes] == ["phrase-nowhere"]
    assert not search(workspace, 'queue -"looked at"').hits
    assert not search(workspace, "queue -looked").hits


def test_filters_alone_list_what_they_allow(workspace: Workspace) -> None:
    assert kinds(search(workspace, "kind:decision")) == {"decision"}
    assert kinds(search(workspace, "kind:snapshot topic:api")) == {"snapshot"}
    assert search(workspace, "after:2026-11-20").hits


def test_an_old_name_comes_before_newer_words(mixed: Workspace) -> None:
    for recent in (False, True):
        best = search(mixed, "ERR_DUPLICATE_KEY", recent=recent).hits[0]

        assert best.exact
        assert best.path == "memory/2025-01-03.md"


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("src/api/auth.ts", "memory/notes.md"),
        ("api/auth.ts", "memory/notes.md"),
        ("agent:main:discord:channel:42", "memory/session.md"),
        ("压缩", "memory/zh.md"),
        ("存一下", "memory/zh.md"),
        ("缩", "memory/zh.md"),
        ("データベース", "memory/ja.md"),
        ("2025-01-03", "memory/2025-01-03.md"),
        ("3 january 2025", "memory/2025-01-03.md"),
    ],
)
def test_it_finds_names_parts_of_runs_and_days(
    mixed: Workspace, text: str, path: str
) -> None:
    assert paths(search(mixed, text))[0] == path


def test_a_run_that_is_nowhere_is_not_found_by_half(mixed: Workspace) -> None:
    assert not search(mixed, "存二下").hits
    assert not search(mixed, '"压缩记"').hits


def test_the_start_of_a_word_is_enough_while_typing(workspace: Workspace) -> None:
    for text in ("endpoi", "end", "events endp", "endpointing"):
        assert search(workspace, text, typing=True).hits, text


def test_a_very_common_start_stands_for_the_commonest_words(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memoryhub.search.terms._PREFIX_BLOCKS", 0)

    for text in ("endpoi", "en", "events endp"):
        assert search(workspace, text, typing=True).hits, text
    assert not search(workspace, "endpoi").hits


def test_common_words_are_asked_by_steps(
    hub_data: Path, workspace_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memoryhub.search.steps._RANKED_BLOCKS", 10)
    days = [f"memory/{date(2026, 1, 1) + timedelta(days=n)}.md" for n in range(80)]
    files = dict.fromkeys(days, "# Log\n\nThe deploy took a branch.\n")
    files |= dict.fromkeys(days[:30], "# Log\n\nA deploy.\n")
    files[days[3]] = "# Log\n\nThe walrus slept.\n"
    workspace = imported(workspace_root, files)

    both = paths(search(workspace, "branch deploy"))
    assert both
    assert not set(both) & set(days[:30])
    assert days[3] in paths(search(workspace, "deploy branch walrus"))
    assert len(search(workspace, "deploy", limit=99).hits) < 20


def test_what_a_minus_leaves_out_makes_room_for_more(
    hub_data: Path, workspace_root: Path
) -> None:
    logs = {
        f"memory/2026-02-{day:02}.md": "## 07:30\n\nthe walrus, a walrus\n" * 9
        for day in range(1, 12)
    }
    workspace = imported(workspace_root, {**logs, "rare.md": "one walrus of many\n"})

    assert paths(search(workspace, "walrus -kind:note")) == ["rare.md"]


def test_another_spelling_is_offered(workspace: Workspace) -> None:
    assert search(workspace, "endpiont").spellings == (("endpiont", "endpoints"),)


def test_two_letters_that_changed_places_are_one_mistake(
    hub_data: Path, workspace_root: Path
) -> None:
    workspace = imported(workspace_root, {"a.md": "a kiwi, kiln and kiosk\n"})

    ((word, nearest),) = search(workspace, "kwii").spellings

    assert (word, nearest) == ("kwii", "kiwi")
    assert search(workspace, "kwxi").spellings == ()


def test_results_fit_a_token_budget(workspace: Workspace) -> None:
    everything = search(workspace, "events deliver minute poll api")
    some = search(workspace, "events deliver minute poll api", token_budget=60)

    assert 0 < len(some.hits) < len(everything.hits)
    assert sum(len(hit.text) for hit in some.hits) <= 60 * 4
    assert (
        search(workspace, "events", limit=2).hits
        == search(workspace, "events").hits[:2]
    )


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("2026-11-20-02", "snapshot"),
        ("memory/2026-11-20.md", "file"),
        ("2026-11-20.md", "file"),
        ("agent:builder:main", "topic"),
        ("api", "topic"),
    ],
)
def test_exact_ids_are_known(workspace: Workspace, text: str, kind: str) -> None:
    jump = search(workspace, text).jump

    assert jump is not None
    thing, is_sure = jump
    assert thing.kind == kind
    assert is_sure == (text != "api")


def test_a_code_of_an_address_is_known(workspace: Workspace) -> None:
    decision = Decision.objects.filter(text="Use events").get()
    jump = search(workspace, decision.code).jump

    assert jump
    thing, _ = jump
    assert (thing.kind, thing.id, thing.path) == (
        "decision", decision.id, "memory/2026-11-20.md",
    )  # fmt: skip


def test_an_edit_is_found_at_once(workspace: Workspace) -> None:
    path = "memory/context-api.md"
    apply_edit(
        workspace, Edit(path, "set_status", {"text": "Waiting for the walrus."}, "ana")
    )

    assert paths(search(workspace, "walrus")) == [path]


def test_a_workspace_without_an_index_says_so(hub_data: Path) -> None:
    assert search(make_workspace_row(), "anything").behind


def test_planted_facts_are_among_the_first_five_files(
    hub_data: Path, workspace_root: Path
) -> None:
    """60 facts in 120 logs, asked for in other words than they were told in."""
    rng = Random(8)
    asked: list[tuple[str, str]] = []
    logs: dict[str, list[str]] = {}
    for number in range(120):
        day = date(2026, 1, 1) + timedelta(days=number)
        subjects = rng.sample(SUBJECTS, 2)
        logs[f"memory/{day}.md"] = [
            " ".join(rng.choice(FILLER).format(rng.choice(subjects)) for _ in range(3))
            for _ in range(14)
        ]
    for fact, question in FACTS:
        for subject in rng.sample(SUBJECTS, 3):
            path = rng.choice(list(logs))
            lines = logs[path]
            lines.insert(rng.randint(0, len(lines)), fact.format(subject))
            asked.append((question.format(subject), path))
    workspace = imported(
        workspace_root, {path: "\n\n".join(lines) for path, lines in logs.items()}
    )
    found = [path in paths(search(workspace, text))[:5] for text, path in asked]
    cheap = [
        path in paths(search(workspace, text, token_budget=300)) for text, path in asked
    ]
    first = [path == paths(search(workspace, text))[0] for text, path in asked]

    assert len(asked) == 60
    assert sum(found) >= 57
    assert sum(cheap) >= 54
    assert sum(first) >= 48


@pytest.mark.usefixtures("workspace")
def test_rows_around_hits_are_looked_up_and_no_table_is_read_whole() -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {_SPANS}", ["[[1, 1, 1]]"] * len(_SELECTS))
        steps = [step for *_, step in cursor.fetchall()]

    assert [step for step in steps if "BLOOM" in step or "MATERIALIZE" in step] == []
    assert {step.split()[1] for step in steps if step.startswith("SCAN")} == {
        "json_each"
    }


@pytest.mark.parametrize("query", ["the", "what was the", "quokka problem the"])
def test_stop_words_alone_find_nothing(
    hub_data: Path, workspace_root: Path, query: str
) -> None:
    files = {"memory/a.md": "# Notes\n\n- The dog sat; what was it?\n"}
    notes = imported(workspace_root, files)

    assert search(notes, query).hits == ()
    assert search(notes, "the dog").hits
    assert search(notes, '"the dog"').hits
