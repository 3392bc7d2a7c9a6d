from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from memoryhub.formats.text.labels import (
    is_decision_label,
    is_open_label,
    kind_of_inline_label,
    normalise_label,
    says_nothing,
)


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("🎯 Next Steps:", "next steps"),
        ("**Next steps**", "next steps"),
        ("3. Key Decisions (2026-03-01)", "key decisions"),
        ("一、待办事项：", "待办事项"),
        ("✅ TODO", "todo"),
        ("[x] Done", "done"),
        ("Ｎｅｘｔ", "next"),
        ("`Pending`", "pending"),
        ("⏭️  What's   next", "what's next"),
        ("x" * 500, ""),
        ("", ""),
    ],
)
def test_a_label_is_read_bare(text: str, label: str) -> None:
    assert normalise_label(text) == label


@pytest.mark.parametrize(
    "text",
    [
        "Decisions",
        "Decisions you must not reopen",
        "Things settled",
        "What I chose and why",
        "🔑 Key decisions made:",
        "2. Decisions & Rationale",
        "Key decisions from the call",
        "关键决策记录",
        "关键决策",
        "Decisões tomadas",
        "Decisiones clave",
        "Wichtige Entscheidungen",
        "Décisions prises",
        "Что решили:",
        "Решения",
        "決定事項",
        "결정 사항",
        "Decisioni prese",
    ],
)
def test_it_knows_a_decision_label_in_ten_languages(text: str) -> None:
    assert is_decision_label(text)
    assert not is_open_label(text)


@pytest.mark.parametrize(
    "text",
    [
        "Next Steps",
        "⏭️ Next steps / TODO",
        "Pending (3)",
        "Active items (carried forward)",
        "For Morning Session",
        "待跟进：",
        "下一步",
        "Pendências",
        "Próximos pasos",
        "Offene Punkte",
        "Prochaines étapes",
        "Осталось",
        "残タスク",
        "다음 단계",
        "Prossimi passi",
        "一、待办",
        "Next steps after the review",
        "Tomorrow's Plan (2026-03-12) — by impact",
        "Action items for Ana",
        "待办清单汇总",
        "a) Next steps",
        "## ✅ 1.2 Pending",
    ],
)
def test_it_knows_an_open_label_in_ten_languages(text: str) -> None:
    assert is_open_label(text)
    assert not is_decision_label(text)


@pytest.mark.parametrize(
    "text",
    [
        "Решение",
        "DECISION-MAKER",
        "Decision point",
        "Cleaned the TODO list parser",
        "Next.js upgrade",
        "Open in the browser",
        "Pending on main",
        "Next to the door",
        "Decisions and lessons learned",
        "Summary",
        "/",
        "",
    ],
)
def test_a_word_inside_a_title_is_no_label(text: str) -> None:
    assert not is_decision_label(text)
    assert not is_open_label(text)


@pytest.mark.parametrize(
    ("label", "kind"),
    [
        ("Decision", "decision"),
        ("**Decision**", "decision"),
        ("Next", "open"),
        ("TODO", "open"),
        ("待跟进", "open"),
        ("Remaining", "open"),
        ("Tomorrow", ""),
        ("Решение", ""),
        ("Decision-maker", ""),
        ("see https", ""),
    ],
)
def test_a_label_before_its_text_has_a_kind(label: str, kind: str) -> None:
    assert kind_of_inline_label(label) == kind


@pytest.mark.parametrize(
    "text", ["", "None", "*none.*", "N/A", "(to be filled)", "无", "нет", "---", "なし"]
)
def test_it_knows_what_says_nothing(text: str) -> None:
    assert says_nothing(text)


@pytest.mark.parametrize("text", ["None of the tests pass", "No-op mode", "x", "空间"])
def test_it_keeps_what_says_something(text: str) -> None:
    assert not says_nothing(text)


@given(st.text(max_size=80))
def test_any_text_may_be_asked(text: str) -> None:
    normalise_label(text)
    says_nothing(text)
    kind_of_inline_label(text)


@pytest.mark.parametrize("part", ["(", "- ", "1.", "*", "a/", ":", " "])
def test_a_long_line_is_no_burden(part: str) -> None:
    assert kind_of_inline_label(part * 100_000) == ""
    assert normalise_label(part * 100_000) == ""
