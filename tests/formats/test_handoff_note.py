from __future__ import annotations

import datetime
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryhub.dialects.facts import Document
from memoryhub.dialects.handoff_note import items_in, parse
from memoryhub.dialects.registry import detect

CORPUS = Path(__file__).parents[2] / "memoryhub/dialects/handoff_note/samples"
TASK = "<task>\n  <task_id>20261120-03</task_id>\n  <type>a</type>\n</task>\n"
LABELS = "# For builder\n\nDone:\n- a\n\nNext steps:\n- b\n"
PIECES = st.sampled_from(
    [
        *("From: ", "**To:** ", "a → b", "Date: 2026-08-05", "## Done\n", "Next:\n"),
        *("Blockers: ", "- [ ] ", "- [x] a", "\n", "\r\n", "```\n", "---\n", "|", "# "),
        *("## Failed approaches\n", "**Done**", ":" * 9, " " * 9, "\ufeff", "\x00"),
    ]
)


def sample(name: str) -> Document:
    return parse((CORPUS / name).read_bytes().decode())


@given(st.lists(PIECES | st.text(max_size=4)).map("".join))
def test_any_text_renders_back(text: str) -> None:
    note = parse(text)

    assert note.text == text
    last = text.count("\n") + 1
    assert all(1 <= item.lines.first <= last for item in items_in(text))


def test_a_note_has_two_sides_and_a_day() -> None:
    note = sample("ferry-tickets.md")

    assert note.authors == ("scout", "")
    (part,) = note.parts
    assert part.time.at == datetime.date(2026, 8, 5)
    assert part.title == "Handoff: ticket printer: scout → builder"
    assert part.excerpt.startswith("the printer cuts after each ticket · umlauts in")


def test_labels_tell_what_is_done_next_blocked_and_failed() -> None:
    note = sample("ferry-tickets.md")

    assert [
        (item.kind, item.text, item.lines.first) for item in items_in(note.text)
    ] == [
        ("done", "the printer cuts after each ticket", 9),
        ("done", "9 tests", 10),
        ("next", "umlauts in the harbour names", 14),
        ("next", "order paper", 15),
        ("next", "ask Maren which font the old tickets had", 16),
        ("blocked", "no paper before Thursday", 20),
        ("failed", "resetting the driver before each job: the queue is lost", 25),
    ]


def test_blockers_and_next_steps_are_open_items() -> None:
    stated = sample("ferry-tickets.md").statements()

    assert [(one.text, one.done) for one in stated.open_items] == [
        ("umlauts in the harbour names", False),
        ("order paper", True),
        ("ask Maren which font the old tickets had", False),
        ("no paper before Thursday", False),
    ]
    assert len(stated.decisions) == 1


@pytest.mark.parametrize(
    "line",
    ["Merging by row id: ids repeat over berths.", "So the queue goes first, not last"],
)
def test_what_failed_is_no_decision(line: str) -> None:
    failed = parse(f"# Handoff\n\nFrom: pilot\n\n## Failed approaches\n- {line}\n")

    assert [item.kind for item in items_in(failed.text)] == ["failed"]
    assert failed.statements().decisions == ()


@pytest.mark.parametrize(
    "text",
    [
        "# Traspaso\n\n**De:** uno\n\n## Siguiente\n1. Pedir correas\n",
        "# 引き継ぎ\n\n差出人: コハク\n\n## 次にやること\n- Pedir correas\n",
        "# Handoff\n\nFrom: uno\n\nNext:\n- Pedir correas\n",
    ],
)
def test_the_lines_under_next_are_open_and_those_of_sides_are_not(text: str) -> None:
    note = parse(text)

    assert [one.text for one in note.statements().open_items] == ["Pedir correas"]
    assert [item.text for item in items_in(text) if item.kind == "next"] == [
        "Pedir correas"
    ]


def test_labels_of_lines_and_other_languages_count() -> None:
    note = sample("traspaso-crlf.md")

    (part,) = note.parts
    assert part.title.endswith("mesa-1 → mesa-2")
    assert part.time.at == datetime.date(2026, 8, 6)
    assert [(item.kind, item.text) for item in items_in(note.text)] == [
        ("done", "carta nueva en la puerta"),
        ("next", "precios de la terraza"),
        ("blocked", "la impresora no tiene tinta"),
        ("failed", "imprimir desde el móvil"),
    ]


@pytest.mark.parametrize(
    ("text", "sides"),
    [
        ("---\nfrom_agent: scout\nto_agent: builder\n---\n", ("scout", "builder")),
        ("# Handoff: scout -> builder\n", ("scout", "builder")),
        ("| From | scout |\n| To | builder |\n", ("scout", "builder")),
        ("From: scout (night shift)\nTo: N/A\n", ("scout", "")),
        ("From: the session in which we tried everything twice\n", ("", "")),
        ("```\nFrom: scout\n```\n", ("", "")),
        ("来自：小明\n交给：小红\n", ("小明", "小红")),
    ],
)
def test_sides_are_names(text: str, sides: tuple[str, str]) -> None:
    note = parse(text)

    assert note.authors[0] == sides[0]
    assert sides[1] in note.parts[0].title


@pytest.mark.parametrize(
    ("path", "text", "name"),
    [
        ("HANDOFF.md", "# Handoff\n\nall well\n", "handoff_note"),
        ("docs/handoff-2026-08-05.md", "all well\n", "handoff_note"),
        ("handoffs/ferry.md", "all well\n", "handoff_note"),
        ("memory/handoffs/ferry.md", LABELS, "handoff_note"),
        ("memory/handoffs/2026-08-05-ferry.md", LABELS, "handoff_note"),
        ("通用/交接-2.md", "好\n", "handoff_note"),
        ("HANDOFF.md", TASK, "plain"),
        ("HANDOFF.md", "", "plain"),
        ("memory/handoffs/20261120-03.md", "# Handoff 20261120-03\n", "handoff"),
        ("memory/handoffs/a.md", LABELS + TASK, "handoff"),
        ("memory/2026-08-05-handoff.md", LABELS, "daily_log"),
        ("handoffs/README.md", "all well\n", "plain"),
        ("docs/handoff-protocol.md", LABELS, "plain"),
        ("docs/offhand.md", LABELS, "plain"),
    ],
)
def test_name_or_folder_tell_it(path: str, text: str, name: str) -> None:
    assert name == detect(PurePosixPath(path), text).name


def test_large_files_are_read() -> None:
    text = "From: a\n" + "Done:\n- a\nBlockers:\n- b\n" * 5_000 + "- " * 50_000

    assert len([*items_in(text)]) > 10_000
