"""Decisions and directives that prose states, in eleven languages.

The tables in `statements/` were written from the labelling rules alone.
"""

from __future__ import annotations

import time
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import pytest

from memoryhub.formats.openclaw.daily_log import DailyLog, parse
from memoryhub.formats.registry import detect
from memoryhub.formats.statements.reading import Statements, statements_of

_TABLES = Path(__file__).parent / "statements"
_LOG = "# 2026-05-04\n\n## 10:00 Work\n\n"


class _Row(NamedTuple):
    language: str
    is_one: str
    line: str


def _table(name: str) -> list[_Row]:
    text = (_TABLES / f"{name}.tsv").read_text(encoding="utf-8")
    return [_Row(*line.split("\t")) for line in text.splitlines()]


def _log(*lines: str) -> DailyLog:
    return parse(_LOG + "\n".join(lines) + "\n")


def _read(path: str, text: str) -> Statements:
    named = PurePosixPath(path)
    return statements_of(named, detect(named, text).parse(text))


def _decided(text: str) -> list[tuple[str, str]]:
    return [(one.text, one.reason) for one in _log(text).decisions]


def _directed(text: str) -> list[str]:
    return [one.text for one in _log(text).directives]


@pytest.mark.parametrize("row", _table("decided"), ids=lambda row: row.line)
def test_a_sentence_states_a_decision_or_none(row: _Row) -> None:
    assert bool(_log(f"- {row.line}").decisions) == (row.is_one == "yes")


@pytest.mark.parametrize("row", _table("directed"), ids=lambda row: row.line)
def test_a_sentence_tells_a_directive_or_none(row: _Row) -> None:
    assert bool(_log(f"- {row.line}").directives) == (row.is_one == "yes")


@pytest.mark.parametrize(
    ("line", "text", "reason"),
    [
        (
            "- Chose tar over zip because it keeps the modes.",
            "Chose tar over zip because it keeps the modes.",
            "it keeps the modes",
        ),
        (
            "- 改用先进先出。原因：旧货积压",
            "改用先进先出。",
            "旧货积压",
        ),
        (
            "- 再生紙を採用する。安いから。",
            "再生紙を採用する。安いから。",
            "安いから。",
        ),
        (
            "- Wir bleiben bei der Tabelle, weil alle sie kennen.",
            "Wir bleiben bei der Tabelle, weil alle sie kennen.",
            "alle sie kennen",
        ),
    ],
)
def test_a_reason_is_what_a_word_for_because_leads_to(
    line: str, text: str, reason: str
) -> None:
    assert _decided(line) == [(text, reason)]


def test_a_reason_in_the_line_below_is_the_decisions_own() -> None:
    text = "**Decision:** one label printer for both desks\nWhy: the second one jams"

    assert _decided(text) == [
        ("one label printer for both desks", "the second one jams")
    ]


def test_an_answer_behind_an_arrow_settles_what_stands_before_it() -> None:
    text = "- 다온: 굳이 알리지 말고 빈칸으로 두자. → 그렇게 함"

    assert [one for one, _ in _decided(text)] == ["굳이 알리지 말고 빈칸으로 두자."]


def test_a_clock_time_is_no_colon_behind_which_a_decision_starts() -> None:
    text = "- We cut over on Monday, 05:00, not on Sunday"

    assert [one for one, _ in _decided(text)] == [text.removeprefix("- ")]


def test_what_holds_from_now_on_is_a_decision_unless_somebody_said_it() -> None:
    text = "Renewals run on the first of the month from now on."

    assert _decided(text)
    assert not _decided(f"Priya said: {text}")
    assert _directed(f"Priya said: {text}") == [text]


@pytest.mark.parametrize(
    "order",
    [
        "From now on never approve a migration without a down step.",
        "Going forward, always weigh the parcel twice.",
    ],
)
def test_an_order_from_now_on_is_no_decision_of_the_writer(order: str) -> None:
    assert _directed(f"- {order}") == [order]
    assert not _decided(f"- {order}")


@pytest.mark.parametrize(
    "line",
    [
        "Deploy: stay on the old machine?",
        "Fix: always restarted the worker, never saw it again",
        "Result: nobody knows why",
        "Nobody has asked for it yet.",
        "`decision: keep` is a field of the tool",
        "| never | always |",
        "The store approved 1.8.0 after two days, not yet live",
    ],
)
def test_no_part_of_a_report_is_taken_for_a_person(line: str) -> None:
    log = _log(f"- {line}")

    assert (log.decisions, log.directives) == ((), ())


def test_the_items_of_a_file_about_the_person_are_rules_facts_and_tastes() -> None:
    text = (
        "# USER.md\n\n- **Name:** Rosa\n- Time zone: Europe/Lisbon\n"
        "- Runs a bakery with two ovens\n- Never write to suppliers before noon.\n"
        "- sem áudio, só texto\n- 晚上十点以后不要发消息\n- Likes tables\n"
    )

    assert [one.text for one in _read("USER.md", text).directives] == [
        "Never write to suppliers before noon.",
        "sem áudio, só texto",
        "晚上十点以后不要发消息",
    ]


@pytest.mark.parametrize(
    "line",
    [
        "Shop = `kite`. Simulator = `breeze` (side project, may never ship).",
        "- Outages page the person on call. Rosa reads about it at noon.",
        "- Simulator = `breeze`, never shipped",
    ],
)
def test_a_fact_about_the_person_directs_nothing(line: str) -> None:
    assert _read("USER.md", f"# USER\n\n{line}\n").directives == ()


def test_what_an_observation_supersedes_is_no_directive() -> None:
    text = (
        "# USER\n\n<!-- observed: 2026-05-04 | status: superseded -->\n\n"
        "- Call me at any hour about outages.\n\n"
        "<!-- observed: 2026-05-09 | status: active -->\n\n"
        "- Never call me after ten.\n"
    )

    found = [one.text for one in _read("USER.md", text).directives]

    assert found == ["Never call me after ten."]


def test_of_a_preference_signal_the_persons_part_counts() -> None:
    text = (
        "## User preferences\n\n"
        '- the user said "no more threads, ever" -> use the queue [Task 2]\n'
    )

    assert [one.text for one in _read("memories/MEMORY.md", text).directives] == [
        'the user said "no more threads, ever"'
    ]


def _fact(kind: str, body: str) -> Statements:
    text = f"---\nname: a-fact\ndescription: what it says\ntype: {kind}\n---\n\n{body}"
    return _read(".claude/memory/a_fact.md", text)


def test_feedback_binds_as_far_as_its_sentences_order_something() -> None:
    stated = _fact("feedback", "Do not squash. She reads commit by commit.\n")

    assert [one.text for one in stated.directives] == ["Do not squash."]


def test_a_fact_of_a_project_with_a_reason_was_decided() -> None:
    stated = _fact(
        "project",
        "The alarm rings after ten minutes.\n\n**Why:** people had muted it.\n"
        "**How to apply:** do not lower the delay.\n",
    )

    assert [(one.text, one.reason) for one in stated.decisions] == [
        ("The alarm rings after ten minutes.", "people had muted it.")
    ]
    assert [one.text for one in stated.directives] == ["do not lower the delay."]


def test_a_fact_about_the_person_tells_what_she_wants() -> None:
    stated = _fact("user", "She reads every diff. Wants plain words, no emoji.\n")

    assert [one.text for one in stated.directives] == ["Wants plain words, no emoji."]


def test_two_quotes_below_a_heading_of_rules_are_two_directives() -> None:
    text = "\n## Ansage von Marta\n»Nie ein Preis mit 99 Cent.«\n»Schreib es groß.«"

    assert _directed(text) == ["Nie ein Preis mit 99 Cent.", "Schreib es groß."]


@pytest.mark.parametrize(
    "line",
    [
        "- We thin the walls in small steps, because what is off stays off",
        "- сами не красим, разметку делает подрядчик",
        "- Prints travel by courier, not by post",
        "- Batteries are not repaired, only swapped",
        "- on ferme la cuisine à dix heures jusqu'à nouvel ordre",
        "- Miro: stay on the old reader, a new one is a risk",
        "- дальше так: делим группу на две",
    ],
)
def test_what_is_done_from_here_on_is_a_decision(line: str) -> None:
    assert _decided(line)


@pytest.mark.parametrize(
    "line",
    [
        '- Rosa "decided" that the printer is called Otto now',
        "- The fault was in the cable, not in the plug",
        "- Ask for the list, not for the sheet",
        "- always start from the gate, not from the road",
        "## Decisions\n- Learned: the old list had two versions",
        "## Decisions\n- Fixed the clock of the second reader",
        "## Decisions\n- Which box? Sample arrived, to be tried",
        "## Non-goals\n- Garages",
        "## Decisions\n- Proposal: two readers for each gate",
    ],
)
def test_jokes_faults_lessons_and_open_questions_are_no_decisions(line: str) -> None:
    assert not _decided(line)


def test_a_wrapped_sentence_is_read_as_one() -> None:
    text = (
        "The parish clerk rang about the inscription, and personally she has by now\n"
        "decided to give up the flowers.\n\n"
        "After a long talk on the phone with the foundry and with both wardens we\n"
        "agreed to hang the small bell first.\n"
    )

    found = [(one.text[:5], one.lines) for one in _log(text).decisions]

    assert found == [("After", (8, 9))]


def test_who_speaks_may_stand_inside_a_line() -> None:
    text = "- 下午2:10 隔壁塘在用药。老葛：以后这种电话你直接回绝。"

    assert _directed(text) == ["以后这种电话你直接回绝。"]


_HOSTILE = (
    "we " * 600,
    "we decided " * 180,
    '"' * 1900,
    'A: "' * 480,
    "wir bleiben " * 160 + "nicht",
    "wurde " + "a, " * 600 + "beschlossen",
    "決定" * 900,
    "の" * 900 + "承認",
    "A" + "'" * 1900 + ":",
    "(" * 1900,
    "if we " * 300,
    "→ " * 900,
    "от " * 600 + "отказались",
    "on ne " * 300,
    "[rule] " * 270,
    "," * 1900 + " want ",
    "grund: " * 270,
)


@pytest.mark.parametrize("text", _HOSTILE, ids=lambda text: text[:12])
def test_a_hostile_line_is_read_in_a_moment(text: str) -> None:
    started = time.process_time()
    _log(text, f"- Marta: {text}", f"## Decisions\n- {text}", f"> {text}")

    assert time.process_time() - started < 1


def test_a_line_may_state_two_decisions() -> None:
    line = "- We decided to keep the old oven. Then we agreed to sell the van."

    assert [text for text, _ in _decided(line)] == [
        "We decided to keep the old oven.",
        "Then we agreed to sell the van.",
    ]


def test_a_verdict_behind_a_decision_is_no_second_one() -> None:
    assert len(_decided("- We decided to keep the old oven. Settled.")) == 1


@pytest.mark.parametrize(
    "line",
    [
        "以后不要在晚上十点之后发消息。",
        "From now on, ask before deleting anything.",
        "Ab sofort vor jedem Löschen nachfragen.",
    ],
)
def test_an_order_from_now_on_is_a_directive_and_no_decision(line: str) -> None:
    assert _directed(f"- {line}") == [line]
    assert _decided(f"- {line}") == []


def test_a_persons_words_settle_by_their_form() -> None:
    line = 'Somebody offered 30k in cash. Maren did not look up: "She\'s not for sale."'

    assert [text for text, _ in _decided(f"- {line}")] == ["She's not for sale."]


def test_what_a_user_settles_in_a_transcript_is_a_decision() -> None:
    text = (
        "# Session: 2026-05-04 09:00:00 UTC\n\n"
        "- **Session Key**: agent:main:main\n- **Session ID**: 1\n"
        "- **Source**: webchat\n\n## Conversation Summary\n\n"
        "assistant: Offset or digital printing?\n"
        "user: we go with digital, the run is small\n"
        "assistant: We decided nothing else.\n"
    )
    stated = _read("memory/2026-05-04-printing.md", text)

    assert [one.text for one in stated.decisions] == [
        "we go with digital, the run is small"
    ]
