from __future__ import annotations

from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryhub.dialects import daily_log
from memoryhub.dialects.daily_log import DailyLog
from memoryhub.formats.base import Lines
from memoryhub.formats.text.dates import ClockTime
from tests.growth import assert_in_proportion

CORPUS = Path(__file__).parents[2] / "memoryhub/dialects/daily_log/samples"
SAMPLES = sorted(CORPUS.glob("*.md"))


def sample(name: str) -> DailyLog:
    return daily_log.parse((CORPUS / name).read_bytes().decode())


def titled(log: DailyLog, number: int) -> str:
    entry = [*log.entries_from()][number]
    assert entry.words
    return entry.words()[0]


def shape(log: DailyLog) -> list[tuple[str, str, Lines]]:
    return [(entry.kind, entry.title, entry.lines) for entry in log.entries]


def covered(log: DailyLog) -> list[int]:
    blocks = [block.lines for block in log.entries]
    blocks += [block.lines for block in log.snapshots]
    return [line for first, last in blocks for line in range(first, last + 1)]


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_no_line_is_in_two_entries(path: Path) -> None:
    log = daily_log.parse(path.read_bytes().decode())

    assert log.entries
    assert len(covered(log)) == len(set(covered(log)))


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_an_entry_is_the_text_of_its_lines(path: Path) -> None:
    log = daily_log.parse(path.read_bytes().decode())

    lines = log.text.split("\n")
    for entry in log.entries:
        text = "\n".join(lines[entry.lines.first - 1 : entry.lines.last])
        assert text.rstrip() == log.source_of(entry)
        assert log.source_of(entry).endswith(log.body_of(entry))


def test_sections_of_level_two_are_the_entries() -> None:
    assert shape(sample("sections.md")) == [
        ("section", "09:30 UTC — Heartbeat", (3, 6)),
        ("section", "Payments API (14:30 UTC)", (8, 21)),
        ("section", "Notes", (30, 34)),
    ]


def test_an_entry_has_the_time_of_its_heading() -> None:
    times = [entry.time for entry in sample("sections.md").entries]

    assert times == [ClockTime(9, 30, "UTC"), ClockTime(14, 30, "UTC"), None]


def test_decisions_are_found_under_labels_and_behind_them() -> None:
    decisions = sample("sections.md").statements().decisions
    stated = [one for one in decisions if one.confidence == 1]
    found = [(d.text, d.label, d.lines) for d in stated]

    assert (
        "Keep SQLite for the queue -- one writer is enough",
        "🔑 Key decisions",
        (25, 25),
    ) in found
    assert {lines.first for _, _, lines in found} <= {13, 25, 26}


def test_open_items_are_boxes_lists_under_labels_and_labelled_lines() -> None:
    items = sample("sections.md").statements().open_items

    assert [(i.mark, i.done, i.text, i.lines.first) for i in items] == [
        (" ", False, "Add a retry queue", 17),
        ("x", True, "Rotate the signing secret", 18),
        ("!", False, "Ask Ana about refunds", 19),
        ("", False, "Load test with 200 req/s", 20),
        ("", False, "tell the partner about the date.", 34),
    ]


def test_a_task_snapshot_is_no_entry_and_its_lines_are_not_searched() -> None:
    log = sample("snapshot.md")

    assert shape(log) == [
        ("section", "Morning", (3, 5)),
        ("text", "", (45, 45)),
    ]
    assert [s.lines for s in log.snapshots] == [(7, 43)]
    assert [item.text for item in log.statements().open_items] == [
        "Review the importer"
    ]
    assert log.statements().decisions == ()


def test_without_headings_list_items_are_the_entries() -> None:
    log = sample("bullets.md")

    assert [(e.kind, e.lines.first, log.excerpt(e)) for e in log.entries] == [
        ("item", 3, "08:15 Woke up, read yesterday's log"),
        ("item", 4, "Fixed the cron job"),
        ("item", 7, "Call Ana at 8 PM"),
        ("text", 9, "Back home, tired."),
        ("item", 11, "Decision: no meetings on Friday"),
    ]
    assert [e.time for e in log.entries][:3] == [ClockTime(8, 15), None, None]


def test_chinese_labels_are_known() -> None:
    log = sample("chinese.md")

    assert [d.text for d in log.statements().decisions] == [
        "使用 SQLite 作为默认数据库"
    ]
    assert [i.text for i in log.statements().open_items][:2] == [
        "确认域名备案",
        "完成部署文档",
    ]
    assert log.entries[0].time == ClockTime(10, 20)


def test_a_bold_label_above_a_list_and_level_three_alone() -> None:
    log = sample("russian.md")

    assert shape(log) == [("text", "", (7, 7))]
    assert log.statements().decisions[0].text == "переходим на SQLite"
    assert [i.text for i in log.statements().open_items] == [
        "проверить резервную копию"
    ]


def test_nothing_in_a_fence_counts_and_a_rule_is_a_rule() -> None:
    log = sample("fences.md")

    assert shape(log) == [("text", "", (1, 8)), ("text", "", (10, 15))]
    assert log.statements().decisions == ()
    assert log.statements().open_items == ()
    assert log.excerpt(log.entries[0]) == "Log without a title"


def test_crlf_a_bom_and_no_last_newline_do_no_harm() -> None:
    log = sample("crlf_bom.md")

    assert shape(log) == [("section", "Two", (7, 9))]
    assert log.body_of(log.entries[0]) == "\r\nText without an end"
    assert [item.text for item in log.statements().open_items] == ["first"]


def test_several_titles_are_entries_where_nothing_lies_below() -> None:
    log = sample("titles.md")

    assert [(e.level, e.lines) for e in log.entries] == [
        (1, (1, 3)),
        (1, (5, 7)),
        (1, (9, 9)),
    ]
    assert log.entries[1].time == ClockTime(20, 0, "ET")


def test_front_matter_is_no_entry_and_dreaming_is_marked() -> None:
    log = sample("frontmatter.md")

    assert shape(log) == [
        ("section", "14:30", (12, 14)),
        ("dreaming", "Light Sleep", (23, 28)),
    ]


def test_equal_headings_stay_apart() -> None:
    log = sample("first_line_rule.md")

    assert [entry.title for entry in log.entries] == ["Same", "Same"]


def test_a_log_of_prose_is_one_entry_with_its_session_key() -> None:
    log = sample("prose.md")

    assert shape(log) == [("text", "", (1, 4))]
    assert log.sessions == ("agent:main:telegram:direct:123456",)


@pytest.mark.parametrize("text", ["", "\n", "# 2026-01-01\n", "---\n\n---\n", "\ufeff"])
def test_a_log_that_says_nothing_has_no_entry(text: str) -> None:
    assert daily_log.parse(text).entries == ()


def test_a_second_title_without_text_is_no_entry() -> None:
    log = daily_log.parse("# A\n\n## One\n\n# B\n\n## Two\n\n# C\nmore\n")

    assert [entry.title for entry in log.entries] == ["One", "Two", "C"]


def test_an_item_that_ends_with_a_colon_heads_its_own_list() -> None:
    text = "## Pending\n- Backend:\n  - order the posts\n  - [ ] call the mason\n"

    log = daily_log.parse(text)

    assert [item.text for item in log.statements().open_items] == [
        "order the posts",
        "call the mason",
    ]


def test_remarks_beside_checkboxes_are_no_items() -> None:
    log = daily_log.parse("## TODO\n- [ ] a\n- **Why:** b\n- [ ] **d:** e\n")

    assert [item.text for item in log.statements().open_items] == ["a", "**d:** e"]


def test_a_list_under_a_label_is_not_the_headings_too() -> None:
    text = "## Decisions\n- We use SQLite.\n\n**Next steps:**\n- order the posts\n"

    log = daily_log.parse(text)

    assert [d.text for d in log.statements().decisions] == ["We use SQLite."]
    assert [item.text for item in log.statements().open_items] == ["order the posts"]


def test_an_excerpt_is_cut_at_a_word() -> None:
    log = daily_log.parse(
        "## A\n\n| t |\n```\ncode\n```\n> **One** two `three` four five"
    )

    assert log.excerpt(log.entries[0], 14) == "One two three…"
    assert log.excerpt(log.entries[0]) == "One two three four five"
    assert log.excerpt(daily_log.parse("## A").entries[0]) == ""


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("**Done**: 2*3 = 6, `x_y` and _all_", "Done: 2*3 = 6, x_y and all"),
        ("**a** and *b* and __c__", "a and b and c"),
        ("a***b and ****", "ab and"),
        ("snake_case **2*3**", "snake_case 2*3"),
    ],
)
def test_an_excerpt_has_no_marks_of_emphasis(line: str, words: str) -> None:
    log = daily_log.parse(f"## A\n\n{line}\n")

    assert log.excerpt(log.entries[0]) == words


@pytest.mark.parametrize(
    ("heading", "title"),
    [
        ("14:30 - Fixed the cache", "Fixed the cache"),
        ("2026-11-20 14:30 UTC: Deploy (staging)", "Deploy (staging)"),
        ("Cache cleanup (2026-05-02 05:20 UTC)", "Cache cleanup"),
        ("Cache cleanup [2026-05-02] — 05:20", "Cache cleanup"),
        ("清理缓存（2026-05-02 05:20）", "清理缓存"),
        ("Backup (01:00 GMT+8 / 2026-05-07)", "Backup"),
        ("Backup () —", "Backup"),
        ("Meeting (17 March)", "Meeting (17 March)"),
        (
            "Call at 14:30 about the 2026-05-02 bill",
            "Call at 14:30 about the 2026-05-02 bill",
        ),
        ("Call with Ana at 14:30", "Call with Ana at 14:30"),
        ("**14:30 Boiler**", "Boiler"),
        ("14:30", "Text"),
        ("2026-05-02", "Text"),
        ("Summary of the audit", "Summary of the audit"),
    ],
)
def test_a_title_is_a_heading_without_its_time_and_without_holes(
    heading: str, title: str
) -> None:
    log = daily_log.parse(f"## {heading}\n\nText. More.\n\n## 15:00 Other\n\nMore.\n")

    assert titled(log, -2) == title
    assert titled(log, -1) == "Other"


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("- 09:30 M. saw the 58. valve, by Dr. Ree. It leaks.", None),
        ("- pump fixed (09:30)", "pump fixed"),
        ("- eleven cakes, list closed at 17:00, one came late", None),
        ("- 修好了水泵。明天再看", "修好了水泵"),
    ],
)
def test_the_title_of_a_note_is_its_first_sentence(
    line: str, title: str | None
) -> None:
    log = daily_log.parse(f"# Log\n\n{line}\n- other\n")

    found = titled(log, 0)
    assert found == (
        title or line.removeprefix("- ").removeprefix("09:30 ").split(". It")[0]
    )


PARTS = st.sampled_from(
    [
        *("# 2026-01-01\n", "## A (10:00 UTC)\n", "### B\n", "#### C\n", "---\n", "\n"),
        *(
            "- item\n",
            "  - nested\n",
            "- [ ] box\n",
            "- [x] done\n",
            "1. one\n",
            "\r\n",
        ),
        *("```\n", "~~~\n", "text\n", "Decision: x\n", "**Next:**\n", "## Decisions\n"),
        *("## TODO\n", "<!-- BIG-MEMORY-SNAPSHOT v1 -->\n", "key: v\n", "- 待办：\n"),
        *("<!-- /BIG-MEMORY-SNAPSHOT -->\n", "## Task Snapshot -- 14:30\n", "\0", "x"),
        *("## Light Sleep\n", "<!-- openclaw:dreaming:light:start -->\n", "\ud800"),
        *("<!-- openclaw:dreaming:light:end -->\n", "14:30 timed\n", "\u2028", "\r"),
    ]
)


@given(st.lists(st.one_of(PARTS, st.text(max_size=8)), max_size=30).map("".join))
def test_any_text_is_a_log_that_renders_back(text: str) -> None:
    log = daily_log.parse(text)

    last = text.count("\n") + 1
    lines = [line for e in log.entries for line in e.lines]
    assert log.text == text
    assert lines == sorted(lines)
    assert all(1 <= line <= last for line in lines)
    assert all(e.start <= e.body_start <= e.end for e in log.entries)
    assert all(log.source_of(e).strip() for e in log.entries)


@pytest.mark.parametrize(
    "text",
    [
        "## Heading\n" * 6_000,
        "## Next\n" + "- [ ] item\n" * 15_000,
        "- [ ] " + "x" * 200_000,
        "Next:\n" * 15_000,
        "---\n" * 25_000,
        "## A\n" + "text, and more of it\n" * 35_000,
        "## TODO\n" + "a paragraph that goes on\n" * 15_000,
        "".join(" " * n + "- Next:\n" for n in range(1_500)),
        "# Next\n## Next\n### Next\n#### Next\n" * 3_000,
        "a:" * 25_000,
        " " * 200_000,
        "```\n" * 15_001,
        "#" * 200_000,
        "* " * 25_000,
    ],
    ids=range(14),
)
def test_a_large_or_hostile_log_is_no_burden(text: str) -> None:
    assert daily_log.parse(text).text == text


def test_a_file_of_a_session_that_a_hidden_block_fills_has_no_entry() -> None:
    start, end = "<!-- BIG-MEMORY-SNAPSHOT v1 -->", "<!-- /BIG-MEMORY-SNAPSHOT -->"
    block = f"{start}\n## Task Snapshot\n\n### Active Goal\nShip it.\n{end}\n"

    log = daily_log.parse(block, PurePosixPath("memory/2026-05-03-boiler.md"))

    assert (len(log.snapshots), log.entries) == (1, ())


def test_reports_of_many_items_are_compared_in_proportion() -> None:
    def work(size: int) -> None:
        lines = (f"- leak {n} must be fixed\n- leak {n} fixed\n" for n in range(size))
        daily_log.parse("".join(lines))

    assert_in_proportion(work, 250)
