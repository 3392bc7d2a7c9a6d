from __future__ import annotations

import difflib
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryhub.dialects.topic_context import (
    DECISIONS,
    HISTORY,
    TopicContext,
    file_name,
    items_of,
    matches,
    parse,
    render_topic,
    render_values,
    tidied,
    topic_from_session_key,
    topic_of,
    with_entry,
    with_item,
    with_meta,
    with_status,
    without_item,
)
from memoryhub.formats.base import Field, FormatError, Lines

CORPUS = Path(__file__).parents[2] / "memoryhub/dialects/topic_context/samples"
SAMPLES = sorted(CORPUS.glob("*.md"))
KEY = "agent:main:telegram:+49 170/123"
FRAGMENTS = st.lists(
    st.sampled_from(
        [
            "## Meta",
            "## Current Status",
            "  ## Key Decisions x",
            "## History",
            "# t",
            "- item",
            "  - nested",
            "- **k**: v",
            "- **k**:v",
            "(none yet)",
            "text",
            "(no status yet)",
            "```",
            "## Other",
            "",
            " ",
            "- ",
            "* star",
            "数据库\r",
        ]
    )
    | st.text(max_size=8)
).map("\n".join)


def sample(name: str) -> TopicContext:
    return parse((CORPUS / name).read_bytes().decode())


def changed(before: str, after: str) -> list[str]:
    """The lines that differ, with their ends."""
    pair = before.splitlines(True), after.splitlines(True)
    diff = list(difflib.ndiff(*pair))
    return [line for line in diff if line[0] in "+-"]


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("- **k**:\u2028 v", "v"),
        ("- **k**:\r v", "v"),
        ("- **k**: v\u2028w", None),
        ("- **k\u2028**: v", None),
    ],
)
def test_another_line_end_stands_between_a_key_and_its_value_alone(
    line: str, value: str | None
) -> None:
    topic = parse(f"# t\n\n## Meta\n{line}\n")

    assert [(one.key, one.value) for one in topic.meta] == (
        [] if value is None else [("k", value)]
    )


def test_it_reads_a_saved_file() -> None:
    topic = sample("canonical.md")

    assert topic.title == "api-redesign"
    assert topic.meta[1] == Field("session", KEY, Lines(5, 5))
    assert topic.status.startswith("Pagination is done")
    assert topic.status_lines == Lines(9, 12)
    assert [item.lines.first for item in topic.decisions] == [15, 16]
    assert topic.history[1].text == "2026-03-10: Compaction completed (280→45 messages)"
    assert render_values(topic) == topic.text


def test_a_file_without_a_heading_has_no_title() -> None:
    topic = parse("## Current Status\nHalf done.\n\n# A title of the status\n")

    assert topic.title == ""


def test_it_reads_a_handmade_file_as_snap_memory_does() -> None:
    topic = sample("handmade.md")

    assert topic.status == "Invoices are sent twice.\n\n## A heading of the status"
    assert [item.text for item in topic.decisions] == [
        "2026-03-01: One queue",
        "nested: counts as an item",
        "Retry three times",
    ]
    assert topic.decisions[0].lines == Lines(20, 21)
    assert [entry.value for entry in topic.meta if entry.key == "updated"] == [
        "2026-03-15"
    ]
    assert topic.history[-1].text == "still history"
    assert render_values(topic) != topic.text


def test_the_words_for_none_are_a_status_to_snap_memory_only() -> None:
    topic = sample("empty_values.md")

    assert (topic.status, topic.stated_status) == ("(no status yet)", "")
    assert render_values(topic) == topic.text


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_it_gives_back_every_sample(path: Path) -> None:
    text = path.read_bytes().decode()

    assert parse(text).text == text


@given(FRAGMENTS)
def test_it_gives_back_every_text(text: str) -> None:
    topic = parse(text)

    assert topic.text == text
    saved = parse(render_values(topic))
    assert [item.text for item in saved.history] == [
        item.text for item in topic.history
    ]


@given(FRAGMENTS)
def test_every_edit_of_every_text_is_read_back(text: str) -> None:
    topic = parse(text)

    added = with_entry(text, DECISIONS, "d: new", limit=None)
    added = with_meta(with_entry(added, HISTORY, "h", limit=None), "k", "w")
    edited = parse(with_status(added, "s\nt"))

    assert [i.text for i in edited.decisions] == [
        *(i.text for i in topic.decisions),
        "d: new",
    ]
    assert [i.text for i in edited.history] == [*(i.text for i in topic.history), "h"]
    assert {m.key: m.value for m in edited.meta}["k"] == "w"
    assert edited.status.replace("\r", "") == "s\nt"


@given(FRAGMENTS, st.integers(0, 3))
def test_a_limit_holds_for_every_text(text: str, limit: int) -> None:
    topic = parse(text)

    edited = parse(with_entry(text, HISTORY, "new", limit=limit))

    expected = [*(i.text for i in topic.history), "new"][-limit:] if limit else []
    assert [i.text for i in edited.history] == expected
    assert [i.text for i in edited.decisions] == [i.text for i in topic.decisions]


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_a_new_status_changes_only_the_status(path: Path) -> None:
    topic = parse(path.read_bytes().decode())

    edited = parse(with_status(topic.text, "All done.\nReally."))

    assert edited.status.replace("\r", "") == "All done.\nReally."
    assert edited.decisions == topic.decisions or len(edited.decisions) == len(
        topic.decisions
    )
    removed = [line for line in changed(topic.text, edited.text) if line[0] == "-"]
    assert all(line[2:].strip() in topic.text for line in removed)


def test_a_status_edit_names_its_lines() -> None:
    topic = sample("canonical.md")

    edited = with_status(topic.text, "Done.")

    assert edited == topic.text.replace(topic.status, "Done.")


def test_a_status_must_not_switch_the_section() -> None:
    with pytest.raises(FormatError) as caught:
        with_status(sample("canonical.md").text, "fine\n  ## History of it")

    assert (caught.value.code, caught.value.line) == ("status-breaks-sections", 2)
    assert caught.value.parameters == {"text": "## History of it"}


def test_an_empty_status_becomes_the_words_for_none() -> None:
    edited = with_status(sample("canonical.md").text, " ")

    assert "## Current Status\n(no status yet)\n\n" in edited


def test_new_lines_have_the_files_own_end() -> None:
    text = sample("crlf_bom.md").text
    edited = with_entry(text, DECISIONS, "2026-03-02: x", limit=20)
    edited = with_entry(edited, HISTORY, "2026-03-02: y", limit=30)
    edited = with_meta(edited, "updated", "2026-03-02")

    assert edited.count("\r\n") == edited.count("\n")
    assert "## Key Decisions\r\n- 2026-03-02: x\r\n\r\n" in edited
    assert edited.endswith("created\r\n- 2026-03-02: y\r\n")


def test_a_decision_replaces_the_words_for_none() -> None:
    text = sample("empty_values.md").text

    edited = with_entry(text, DECISIONS, "2026-03-02: x", limit=20)

    assert "## Key Decisions\n- 2026-03-02: x\n\n## History\n(none yet)\n" in edited


def test_the_oldest_entry_goes_with_the_lines_that_continue_it() -> None:
    text = sample("handmade.md").text

    edited = with_entry(text, DECISIONS, "new", limit=3)

    assert changed(text, edited) == [
        "- - 2026-03-01: One queue\n",
        "-   because of the order\n",
        "+ - new\n",
    ]


def test_the_last_entry_leaves_the_words_for_none() -> None:
    topic = sample("crlf_bom.md")

    edited = without_item(topic.text, topic.history[0].lines)

    assert edited.endswith("## History\r\n(none yet)\r\n")


def test_a_missing_section_comes_at_its_place() -> None:
    begun = with_meta("# t\n\n## History\n- h\n", "created", "2026-03-01")

    assert with_entry(begun, DECISIONS, "d", limit=None) == (
        "# t\n\n## Meta\n- **created**: 2026-03-01\n\n"
        "## Key Decisions\n- d\n\n## History\n- h\n"
    )


def test_an_empty_file_takes_every_section() -> None:
    assert with_entry(with_status("", "s"), HISTORY, "h", limit=1) == (
        "## Current Status\ns\n\n## History\n- h\n"
    )


def test_an_item_is_rewritten_in_its_line() -> None:
    topic = sample("handmade.md")

    edited = parse(with_item(topic.text, topic.decisions[1].lines, "nested: still"))

    assert changed(topic.text, edited.text)[:1] == ["-   - nested: counts as an item\n"]
    assert edited.decisions[1].text == "nested: still"
    assert "  - nested: still\n" in edited.text


@pytest.mark.parametrize(
    ("item", "code"), [("a\nb", "item-has-newline"), (" \n", "item-empty")]
)
def test_an_item_is_one_line(item: str, code: str) -> None:
    with pytest.raises(FormatError) as caught:
        with_entry(sample("canonical.md").text, DECISIONS, item, limit=20)

    assert caught.value.code == code


@pytest.mark.parametrize(
    ("key", "value", "code"),
    [
        ("", "x", "meta-key"),
        ("a**:b", "x", "meta-key"),
        ("a\u2028b", "x", "meta-key"),
        ("k", " ", "meta-value"),
        ("k", "a\nb", "meta-value"),
    ],
)
def test_meta_takes_only_what_it_can_read_back(key: str, value: str, code: str) -> None:
    with pytest.raises(FormatError) as caught:
        with_meta(sample("canonical.md").text, key, value)

    rest = {"value": value} if code == "meta-value" else {}
    assert (caught.value.code, caught.value.parameters) == (code, {"key": key} | rest)


@pytest.mark.parametrize("line", [0, 1, 9, 22, 999])
def test_an_edit_of_a_line_that_is_no_item_is_refused(line: int) -> None:
    with pytest.raises(FormatError) as caught:
        with_item(sample("canonical.md").text, Lines(line, line), "x")

    assert (caught.value.code, caught.value.line) == ("no-such-item", line)


def test_meta_keys_keep_their_order() -> None:
    text = render_topic(
        "t", {"updated": "1", "created": "2", "10": "b", "9": "a"}, "", [], []
    )

    assert [entry.key for entry in parse(text).meta] == [
        "9",
        "10",
        "updated",
        "created",
    ]
    assert render_values(parse(text)) == text


def test_tidying_trims_but_never_drops() -> None:
    text = render_topic("t", {}, "\n\nstatus\n\n", ["d  "], [])

    assert tidied(text) == render_topic("t", {}, "status", ["d"], [])
    handmade = sample("handmade.md").text
    assert tidied(handmade) == handmade


def test_the_file_name_tells_the_topic() -> None:
    assert topic_of(PurePosixPath("memory/context-Über thema.md")) == "Über thema"
    assert topic_of(PurePosixPath("memory/context-.md")) is None
    assert topic_of(PurePosixPath("memory/notes.md")) is None
    assert topic_of(PurePosixPath("memory/context-a.txt")) is None
    assert file_name("Über thema") == "context-Über thema.md"


def test_it_matches_by_name_and_heading() -> None:
    body = "## Current Status\nx\n\n## History\n"

    assert matches(PurePosixPath("memory/context-a.md"), body)
    assert matches(PurePosixPath("memory/context-a.md"), "\n")
    assert matches(PurePosixPath("memory/context-a.md"), "x\n \t## Meta (old)")
    assert not matches(PurePosixPath("memory/context-a.txt"), body)
    assert matches(PurePosixPath("memory/topic-a.md"), body)
    assert not matches(PurePosixPath("memory/topic-a.md"), "")
    assert not matches(PurePosixPath("memory/topic-a.md"), "## History\n")
    assert not matches(PurePosixPath("memory/topic-a.md"), "## Meta\n## Meta\n")
    assert not matches(PurePosixPath("memory/context-a.md"), "# Context engineering\n")
    assert not matches(PurePosixPath("memory/a.md"), body)


@pytest.mark.parametrize(
    ("key", "topic"),
    [
        (KEY, "agent-main-telegram-49-170-123"),
        ("--a::b--", "-a-b-"[1:-1]),
        ("Ü" * 5, ""),
        ("agent:main:x y--z_1-", "agent-main-x-y-z_1"),
        ("Z-9" + "-a" * 50, ("Z-9" + "-a" * 50)[:80]),
        ("x" * 100, "x" * 80),
    ],
)
def test_a_session_without_a_topic_gets_a_safe_one(key: str, topic: str) -> None:
    assert topic_from_session_key(key) == topic


@pytest.mark.parametrize(
    "text",
    [
        "## History\n" + "- x\n" * 60000,
        "## Meta\n- **a**: " + "**:" * 60000 + "\u2028" + " " * 60000 + "x",
        "## Current Status\n" + "#" * 200000,
        "## History\n" * 6000,
        "\n" * 200000,
    ],
)
def test_it_reads_large_texts(text: str) -> None:
    edited = with_entry(with_status(text, "x"), HISTORY, "y", limit=2)

    assert items_of(edited, HISTORY)[-1].text == "y"
