from __future__ import annotations

import datetime
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryhub.dialects import session_transcript
from memoryhub.dialects.facts import Document
from memoryhub.dialects.session_transcript import Turn

CORPUS = Path(__file__).parents[2] / "memoryhub/dialects/session_transcript/samples"
PATH = PurePosixPath("memory/2026-03-07-gateway-check.md")


def read(name: str) -> str:
    return (CORPUS / name).read_bytes().decode()


def turns(text: str) -> tuple[Turn, ...]:
    return session_transcript.turns_in(text, session_transcript._header(text)[1])


def sample(name: str) -> Document:
    return session_transcript.parse(read(name))


@pytest.mark.parametrize("path", sorted(CORPUS.glob("*.md")), ids=lambda p: p.name)
def test_every_sample_is_a_transcript_and_renders_back(path: Path) -> None:
    text = path.read_bytes().decode()

    assert session_transcript.matches(PATH, text)
    assert session_transcript.parse(text).text == text


def test_the_header_says_whose_session_it_was() -> None:
    session = sample("raw_utc.md")

    assert session.time.at == datetime.datetime(2026, 3, 7, 3, 28, 19)
    assert session.time.zone == "UTC"
    assert session.sessions == ("agent:main:telegram:direct:123456",)


def test_a_raw_turn_goes_on_over_headings_to_the_next_turn() -> None:
    session = sample("raw_utc.md")

    assert [(t.role, t.lines) for t in turns(session.text)] == [
        ("user", (9, 13)),
        ("assistant", (15, 16)),
        ("user", (17, 17)),
    ]
    assert turns(session.text)[1].text == "It is up.\nThree sessions are live."


def test_a_json_turn_is_decoded_unless_nothing_could_hold_it() -> None:
    session = sample("json_iana.md")

    assert session.time.zone == "America/New_York"
    assert [turn.text for turn in turns(session.text)] == [
        'First line\nsecond "line" \u2028 end',
        "Done",
        r'"lone \ud800 half"',
    ]


def test_a_header_alone_is_an_empty_session() -> None:
    session = sample("header_only.md")

    assert session.sessions == ("agent:ops:discord:channel:42",)
    assert session.time.zone == "GMT+8"


def test_the_reason_of_a_missing_conversation_is_kept() -> None:
    session = sample("unavailable.md")

    assert session.parts[0].excerpt == 'file was "gone"'


def test_crlf_a_bom_and_no_summary_heading_do_no_harm() -> None:
    session = sample("crlf_chinese.md")

    assert session.time.at == datetime.datetime(2026, 6, 2, 8)
    assert session.time.zone == ""
    assert [t.text for t in turns(session.text)] == ["你好", "好的，\n没有问题。"]


def test_a_quoted_turn_with_lines_below_is_raw() -> None:
    text = '# Session: x\n\nuser: "a"\nb\nassistant:\nc\nuser:d\n'

    session = session_transcript.parse(text)

    assert [t.text for t in turns(session.text)] == ['"a"\nb', "c\nuser:d"]
    assert session.time == (None, "", None, None)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (PATH, "# 2026-03-07\n\n- **Session Key**: agent:main:main\n"),
        (PATH, "# Session: planning\n\nWe planned.\n"),
        (PATH, ""),
        (PurePosixPath("memory/x.json"), "# Session: \n- **Session Key**: a\n"),
    ],
)
def test_another_text_is_no_transcript(path: PurePosixPath, text: str) -> None:
    assert not session_transcript.matches(path, text)


PARTS = st.sampled_from(
    [
        *("# Session: 2026-01-01 10:00:00 UTC\n", "- **Session Key**: agent:a:main\n"),
        *("user: a\n", 'assistant: "b"\n', "## Conversation Summary\n", "\n", "\r\n"),
        *("> Transcript content was unavailable: x\n", 'user: "\\u0000"\n', "user:\n"),
    ]
)


@given(st.lists(st.one_of(PARTS, st.text(max_size=8)), max_size=20).map("".join))
def test_any_text_is_read_and_renders_back(text: str) -> None:
    session = session_transcript.parse(text)

    lines = [line for turn in turns(session.text) for line in turn.lines]
    assert session.text == text
    assert lines == sorted(lines)
    assert all(1 <= line <= text.count("\n") + 1 for line in lines)


@pytest.mark.parametrize("part", ["user: a\n", 'user: "a"\n', "a", "\n", "user: x"])
def test_a_large_transcript_is_no_burden(part: str) -> None:
    text = read("header_only.md") + part * (1_000_000 // len(part))

    assert session_transcript.parse(text).text == text
