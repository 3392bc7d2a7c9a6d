"""What an agent is given: whole lines, no repeats, reasons, corrected words."""

from __future__ import annotations

from pathlib import Path
from random import Random
from string import printable

import pytest

from memoryhub.journal.models import Workspace
from memoryhub.people.callers import Caller
from memoryhub.search.queries import search
from memoryhub.tools.calling import call
from memoryhub.tools.memory_files import Found, MemoryHit, SearchRequest
from memoryhub.tools.registry import tool_named
from memoryhub.values import tokens
from tests.factories import imported

pytestmark = pytest.mark.django_db

_LONG = "The relay of the harbour is old, " + "and the crew knows it well, " * 40


@pytest.fixture
def harbour(hub_data: Path, workspace_root: Path) -> Workspace:
    days = {
        f"memory/2026-02-0{n}.md": f"# Log\n\nBackup of the archive took {n} minutes.\n"
        for n in range(1, 6)
    }
    notes = (
        "# Notes\n\n- Ana bought a lamp for the pottery room.\n- It is green.\n"
        f"- {_LONG}\n- Melanie likes the lamp very much.\n- Who likes a lamp?\n"
    )
    return imported(workspace_root, {**days, "memory/notes.md": notes})


def asked(workspace: Workspace, by: Caller | None = None, **request: object) -> Found:
    answer = call(
        tool_named("memory_search"),
        by or Caller(workspace, "scout"),
        SearchRequest.model_validate(request),
    )
    assert isinstance(answer, Found)
    return answer


def test_a_snippet_is_whole_lines(harbour: Workspace) -> None:
    lines = (Path(harbour.root) / "memory/notes.md").read_text().split("\n")
    (hit, *_) = asked(harbour, query="old relay crew", token_budget=2_000).results

    assert isinstance(hit, MemoryHit)
    assert hit.snippet.split("\n") == lines[hit.from_line - 1 : hit.to_line]
    assert f"- {_LONG}" in hit.snippet


def test_only_a_line_longer_than_the_budget_is_cut(harbour: Workspace) -> None:
    (hit,) = asked(harbour, query="old relay crew", token_budget=60).results

    assert "relay" in hit.snippet
    assert len(hit.snippet) <= 4 * 60


def test_lines_that_differ_in_numbers_are_one_result(harbour: Workspace) -> None:
    found = asked(harbour, query="backup of the archive")
    (hit,) = found.results

    assert isinstance(hit, MemoryHit)
    assert hit.alike == 4
    assert "and 4 more like it" in found.as_text()


@pytest.fixture
def settings_of_days(hub_data: Path, workspace_root: Path) -> Workspace:
    lines = {
        10: "The release went from staging to production by the crew",
        12: "The release went from production to staging by the crew",
        13: "Timeout of the payment gateway is 30 seconds",
        14: "Timeout of the payment gateway is 90 seconds",
    }
    files = {
        f"memory/2026-11-{day}.md": f"# Log\n\n- {line}\n"
        for day, line in lines.items()
    }
    return imported(workspace_root, files)


def test_of_many_equal_lines_the_newest_come_first(
    hub_data: Path, workspace_root: Path
) -> None:
    days = [
        f"{2025 + n // 300}-{n % 300 // 25 + 1:02}-{n % 25 + 1:02}" for n in range(400)
    ]
    files = {f"memory/{day}.md": f"# {day}\n\nThe crew rowed home.\n" for day in days}
    workspace = imported(workspace_root, files)

    assert search(workspace, "crew rowed").hits[0].path == f"memory/{days[-1]}.md"
    (hit,) = asked(workspace, query="crew rowed").results
    assert hit.path == f"memory/{days[-1]}.md"


def test_lines_with_the_words_in_another_order_are_not_alike(
    settings_of_days: Workspace,
) -> None:
    found = asked(settings_of_days, query="release staging production").results

    assert len(found) == 2


def test_of_lines_that_differ_in_numbers_the_newest_is_given(
    settings_of_days: Workspace,
) -> None:
    (hit,) = asked(settings_of_days, query="timeout of the payment gateway").results

    assert "90 seconds" in hit.snippet
    assert isinstance(hit, MemoryHit)
    assert hit.alike == 1


def test_a_number_of_the_query_is_not_given_up_for_a_newer_one(
    settings_of_days: Workspace,
) -> None:
    found = asked(settings_of_days, query="payment gateway timeout 30").results

    assert "30 seconds" in found[0].snippet


def test_a_misspelt_word_is_corrected_beside_others(harbour: Workspace) -> None:
    found = asked(harbour, query="lamp potery")

    assert "pottery" in found.results[0].snippet
    assert found.spellings == ["pottery"]
    assert found.notes == ["respelled: potery → pottery"]


def test_words_that_are_too_common_are_named_with_the_way_to_find_them(
    harbour: Workspace,
) -> None:
    found = asked(harbour, query="who took the time")

    assert not found.results
    assert found.notes == ["too-common: who, took, the, time"]
    assert "are ignored: who, took, the, time. In quotation marks" in found.as_text()
    assert asked(harbour, query='"took"').results
    assert not asked(harbour, query="lamp time").notes


def test_an_irregular_form_is_the_word(harbour: Workspace) -> None:
    assert "bought" in search(harbour, "who buys").hits[0].text


def test_a_phrase_that_is_nowhere_becomes_words(harbour: Workspace) -> None:
    found = asked(harbour, query='what does Melanie like "lamp green very"')

    assert any("Melanie" in hit.snippet for hit in found.results)
    assert found.notes == ["phrase-nowhere: lamp green very"]


def test_a_phrase_alone_that_is_nowhere_becomes_words(harbour: Workspace) -> None:
    found = asked(harbour, query='"lamp green very"')

    assert "lamp" in found.results[0].snippet
    assert found.notes == ["phrase-nowhere: lamp green very"]


def test_the_text_below_a_heading_with_the_words_is_given(
    hub_data: Path, workspace_root: Path
) -> None:
    text = "# Runbook\n\n## Rollback procedure\n\n1. Stop the worker.\n2. Wait.\n"
    workspace = imported(workspace_root, {"runbook.md": f"{text}\n## Other\n\nNo.\n"})
    found = asked(workspace, query="rollback procedure").results

    assert found[0].snippet.startswith("## Rollback procedure\n\n1. Stop the worker.")


@pytest.fixture
def runbook(hub_data: Path, workspace_root: Path) -> Workspace:
    steps = "\n".join(f"{n}. Step {n} of it, done by hand." for n in range(1, 9))
    text = f"# Runbook\n\n## Rollback\n\n{steps}\n\n## Other\n\nThe kettle is new.\n"
    return imported(workspace_root, {"runbook.md": text})


def test_a_budget_with_room_gives_the_whole_section(runbook: Workspace) -> None:
    (hit,) = asked(runbook, query="rollback", token_budget=1_000).results

    assert hit.snippet.startswith("## Rollback\n\n1. Step 1 of it")
    assert hit.snippet.endswith("8. Step 8 of it, done by hand.")


@pytest.mark.parametrize("budget", [50, 70, 100, 130])
def test_a_wider_result_stays_in_the_budget_and_whole(
    runbook: Workspace, budget: int
) -> None:
    (hit,) = asked(runbook, query="rollback", token_budget=budget).results
    lines = (Path(runbook.root) / "runbook.md").read_text().split("\n")

    assert isinstance(hit, MemoryHit)
    assert hit.snippet == "\n".join(lines[hit.from_line - 1 : hit.to_line])
    assert tokens.shown(hit.snippet) <= budget


def test_a_wider_result_has_no_excluded_word(
    hub_data: Path, workspace_root: Path
) -> None:
    text = f"# Kiln\n\n- Walnut shelf.\n- {'warm ' * 240}\n- A draft of it.\n"
    workspace = imported(workspace_root, {"kiln.md": text})

    (hit,) = asked(workspace, query="walnut -draft", token_budget=5_000).results
    (wider,) = asked(workspace, query="walnut shelf", token_budget=5_000).results

    assert "draft" not in hit.snippet
    assert "draft" in wider.snippet


def test_a_question_is_no_answer(harbour: Workspace) -> None:
    best = search(harbour, "likes lamp").hits[0]

    assert best.text.index("Melanie") >= 0


def test_an_answer_says_why_and_how_many_more(harbour: Workspace) -> None:
    found = asked(harbour, query="lamp relay archive", max_results=1)

    assert found.more > 0
    assert "more lines have words of it" in found.as_text()
    assert isinstance(found.results[0], MemoryHit)
    assert found.results[0].why.startswith("words: ")


def test_openclaws_form_has_its_fields_in_its_order(harbour: Workspace) -> None:
    found = asked(harbour, query="lamp", form="openclaw").model_dump()
    first = found["results"][0]

    assert list(first) == [
        "path", "startLine", "endLine", "score", "snippet", "source",
    ]  # fmt: skip
    assert 0 < first["score"] <= 1


def test_a_further_word_takes_no_result_away(
    hub_data: Path, workspace_root: Path
) -> None:
    files = {f"{n}.md": f"# {n}\n\nCalvin met number {n}.\n" for n in range(150)}
    files["walrus.md"] = "# Walrus\n"
    workspace = imported(workspace_root, files)

    assert search(workspace, "Calvin").hits
    assert search(workspace, "Calvin zebra").hits
    assert search(workspace, "Calvin March").hits


@pytest.fixture
def releases(hub_data: Path, workspace_root: Path) -> Workspace:
    """Return a workspace with "rollout" in every file, and "heron" in two."""
    files = {
        f"memory/r{n}.md": f"# R{n}\n\nRollout {n} of the shop, seen by crew {n % 7}.\n"
        for n in range(300)
    }
    for n in (8, 9):
        files[f"memory/r{n}.md"] += "\nA heron stood on the roof.\n"
    return imported(workspace_root, files)


def test_a_rare_word_takes_no_line_of_a_common_one_away(releases: Workspace) -> None:
    alone = search(releases, "rollout", limit=500).hits
    both = search(releases, "rollout OR heron", limit=500).hits

    assert "heron" in both[0].text
    assert len(both) >= len(alone) > 30


def test_an_answer_counts_lines_that_were_not_read(releases: Workspace) -> None:
    found = asked(releases, query="rollout", max_results=5)
    given = sum(1 + hit.alike for hit in found.results if isinstance(hit, MemoryHit))

    assert found.at_least
    assert found.more + given >= 300
    assert f"At least {found.more} more lines" in found.as_text()


def test_an_answer_counts_no_lines_that_its_reader_is_not_given(
    hub_data: Path, workspace_root: Path
) -> None:
    files = {}
    for n in range(60):
        text = f"# R{n}\n\nRollout {n} of the shop, seen by crew {n % 7}.\n"
        files[f"memory/r{n}.md"] = text
        files[f"memory/r{n}.sync-conflict-20261120-101112-ABCDEFG.md"] = text + "\n"
    index = "\n".join(f"## Part {n}\n\nThe rollout of {n}.\n" for n in range(60))
    workspace = imported(workspace_root, {**files, "MEMORY.md": index})

    for session in ("agent:scout:main", "agent:scout:telegram:group:7"):
        reader = Caller(workspace, "scout", session=session)
        found = asked(workspace, by=reader, query="rollout")
        hits = [hit for hit in found.results if isinstance(hit, MemoryHit)]
        given = sum(1 + hit.alike for hit in hits)
        assert found.more + given <= (120 if reader.private else 60)
        assert found.at_least


def test_agents_find_nothing_in_a_file_of_unknown_encoding(
    hub_data: Path, workspace_root: Path
) -> None:
    text = "# Журнал\n\nПроверили насос 4711 у плотины, давление в норме.\n"
    (workspace_root / "memory").mkdir()
    (workspace_root / "memory/pump.md").write_bytes(text.encode("cp1251"))
    workspace = imported(workspace_root, {"memory/log.md": "# Log\n\nAll calm.\n"})

    assert not asked(workspace, query="4711").results
    assert not asked(workspace, query="4711 path:memory/pump.md").results
    assert search(workspace, "4711").hits  # a person's search says where it is


_CHINESE = "今天我们讨论了缓存一致性和消息队列的可靠性以及监控告警的策略，" * 9


@pytest.fixture
def long_lines(hub_data: Path, workspace_root: Path) -> Workspace:
    dump = '{"a":"' + "lorem ipsum dolor " * 4_000 + '","id":"ZZ_DEEP_999"}'
    many = "server " + "of the night shift " * 100 + "heron sat on the server roof"
    files = {
        "长行.md": f"# 长行\n\n{_CHINESE}结论是采用河马协议进行同步，{_CHINESE}\n",
        "dump.md": f"# Dump\n\n{dump}\n",
        "shift.md": f"# Shift\n\n{many}\n",
    }
    return imported(workspace_root, files)


@pytest.mark.parametrize("budget", [50, 80, 150, 400, 1_500])
@pytest.mark.parametrize(
    ("query", "part"),
    [
        ("河马协议", "河马协议"),
        ("ZZ_DEEP_999", "ZZ_DEEP_999"),
        ("heron server", "heron"),
    ],
)
def test_a_long_line_is_cut_around_the_words_found(
    long_lines: Workspace, query: str, part: str, budget: int
) -> None:
    (hit,) = asked(long_lines, query=query, token_budget=budget).results

    assert part in hit.snippet


def test_a_name_far_in_a_line_is_an_exact_match_on_pages_too(
    long_lines: Workspace,
) -> None:
    (hit,) = search(long_lines, "ZZ_DEEP_999", recent=True).hits

    assert hit.exact
    assert "ZZ_DEEP_999" in hit.text


@pytest.mark.parametrize(
    ("query", "why"),
    [
        ('"lamp for the pottery"', "words: lamp for the pottery"),
        ("Ana bought", "words: ana, bought"),
    ],
)
def test_every_result_has_a_reason(harbour: Workspace, query: str, why: str) -> None:
    (hit, *_) = asked(harbour, query=query).results

    assert isinstance(hit, MemoryHit)
    assert hit.why == why


def test_the_reason_in_chinese_is_the_part_that_was_found(
    long_lines: Workspace,
) -> None:
    (hit,) = asked(long_lines, query="河马协议").results

    assert isinstance(hit, MemoryHit)
    assert hit.why == "words: 河马协议"


def test_a_short_unknown_word_is_not_corrected(harbour: Workspace) -> None:
    found = asked(harbour, query="wer bought the lamp den")

    assert (found.notes, found.spellings) == ([], [])


def test_lines_of_a_common_word_are_counted_though_the_limit_came_first(
    releases: Workspace,
) -> None:
    found = asked(releases, query="rollout heron", max_results=1)

    assert found.at_least
    assert found.more > 200


def test_a_line_beside_the_words_says_so(hub_data: Path, workspace_root: Path) -> None:
    notes = "\n".join(f"Kiln {n} {'walnut' * (n == 4)} is warm." for n in range(9))
    workspace = imported(workspace_root, {"kiln.md": f"# Kiln\n\n{notes}\n"})
    reasons = [str(hit.why) for hit in search(workspace, "walnut").hits]

    assert reasons[0] == "words: walnut"
    assert all(reasons)


def test_a_suggestion_is_not_within_a_quoted_line(harbour: Workspace) -> None:
    text = asked(harbour, query="lamp potery").as_text()

    assert "\n\nDid you mean: pottery?" in text


def test_the_text_says_what_was_read_in_another_way(harbour: Workspace) -> None:
    text = asked(harbour, query='"lamp green very" potery').as_text()

    assert "phrase-nowhere: lamp green very" in text
    assert "respelled: potery → pottery" in text


def test_no_query_fails(harbour: Workspace) -> None:
    chance = Random(7)
    odd = [
        *printable,
        '"',
        "-",
        ":",
        "的",
        "𝔘",
        "\ud800",
        "\u202e",
        "May",
        " 5 ",
        "kind:",
        "ago",
    ]
    for _ in range(150):
        text = "".join(chance.choices(odd, k=chance.randint(1, 60)))
        found = search(harbour, text, token_budget=100)
        assert not found.behind, text
