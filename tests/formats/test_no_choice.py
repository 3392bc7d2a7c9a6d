"""Lists and tables of decisions, and texts that only sound like one."""

from __future__ import annotations

import time

import pytest
from memoryhub.formats.text.labels import is_decision_label
from memoryhub.formats.text.no_choice import is_no_choice

from memoryhub.formats.openclaw import daily_log


def _decided(text: str) -> list[str]:
    return [one.text for one in daily_log.parse(text).decisions]


@pytest.mark.parametrize(
    "label",
    [
        *("決まっていること", "方針", "已经定下来的", "已经说死的", "讨论结果"),
        *("Cose stabilite", "Ficou decidido", "Qué decidimos", "Karar verilenler"),
        *("Herausgekommen ist", "Was in der Abnahme festgezurrt wurde"),
        *("Zamknięte sprawy", "Things I chose without asking"),
    ],
)
def test_more_labels_head_decisions(label: str) -> None:
    assert is_decision_label(label)


@pytest.mark.parametrize(
    ("table", "decided"),
    [
        (
            "| Feb | One file per user, no server | Ana |",
            "One file per user, no server",
        ),
        ("| keep v1? | v1 stays for one month | me |", "v1 stays for one month"),
    ],
)
def test_a_row_below_a_label_of_decisions_is_one(table: str, decided: str) -> None:
    head = "## Decisions\n\n| when | what was it | who |\n|---|---|---|\n"

    assert _decided(f"{head}{table}\n") == [decided]


def test_the_column_of_decisions_counts() -> None:
    table = "| 何 | 決定 | 理由 |\n|---|---|---|\n| 写真 | 二枚まで | 遅いから |\n"

    assert _decided(f"## 決まったこと\n\n{table}") == ["二枚まで"]


@pytest.mark.parametrize(
    "line",
    [
        "The maintainers decided to drop arm32, does not concern us.",
        "Der Nachbar hat sich für Kies entschieden, geht uns nichts an.",
        "A vizinha decidiu vender a loja.",
        "Сосед решил продать гараж, нас это не касается.",
        "表弟决定去省城，跟我们没关系",
        "向かいの店は九月で閉めることに決めたそうだ。",
    ],
)
def test_what_outsiders_choose_is_no_decision(line: str) -> None:
    assert _decided(f"# 2026-05-03\n\n{line}\n") == []


@pytest.mark.parametrize(
    "item",
    [
        "最多 8 张（设定值）",
        "OCR language deu+eng (war schon so)",
        "a queue for each bank: no conclusion",
        "优惠券叠加：还没有结论",
        "考虑过用新的库，没有必要",
    ],
)
def test_facts_and_talk_below_a_label_are_none(item: str) -> None:
    decided = _decided(f"## Decisions\n- {item}\n- We keep one file per user\n")

    assert decided == ["We keep one file per user"]


@pytest.mark.parametrize("part", ["maintainers x ", "(a ", "讨论", "neighbour a b "])
def test_a_long_text_is_no_burden(part: str) -> None:
    started = time.process_time()
    is_no_choice(part * 20_000)
    assert time.process_time() - started < 2


@pytest.mark.parametrize(
    "line",
    [
        "The baker two doors on has decided to close, I hear.",
        "三軒先の店が移ることに決めたそうだ。",
        "The firmware decided that port 3 is a printer.",
        "We will keep both ovens. That is not a decision, it is the lease.",
        "Mieszamy dziesięć minut zamiast pięciu, poszło 20 minut zamiast 40.",
        "The pots by the door may stay.",
        "We decided to paint the cat blue, ha.",
        "封面、封底全部换成蓝色",
    ],
)
def test_hearsay_denials_and_reports_are_no_decisions(line: str) -> None:
    assert _decided(f"# 2026-05-03\n\n## 10:00 Yard\n\n{line}\n") == []


def test_a_french_reason_has_a_blank_before_its_colon() -> None:
    found = daily_log.parse(
        "## Décisions\n\n- Un four arrêté. Raison : le gaz coûte trop cher.\n"
    )
    assert [(one.text, one.reason) for one in found.decisions] == [
        ("Un four arrêté.", "le gaz coûte trop cher.")
    ]
