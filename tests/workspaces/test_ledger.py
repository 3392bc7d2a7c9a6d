from __future__ import annotations

from memoryhub.journal.ledger import budget_of
from memoryhub.values.limits import INDEX_TOKENS

HEAD = "# MEMORY INDEX\n\n## Current Project\n- Name: acme | Details → memories/p.md\n"


def test_e1_the_tokens_of_all_lines_are_those_of_the_file() -> None:
    text = f"\n\n{HEAD}\n\n## Rules\n- One write at a time\n\n\n"

    budget = budget_of("MEMORY.md", text)

    assert budget.tokens == len(text) // 4 == sum(r.tokens for r in budget.rows)
    assert budget.tokens == sum(share.tokens for share in budget.shares)
    assert budget.rows[-1].running == budget.tokens


def test_a_line_says_where_it_points_and_its_section() -> None:
    row = budget_of("MEMORY.md", HEAD).rows[2]

    assert (row.line, row.pointer, row.section) == (
        4,
        "memories/p.md",
        "Current Project",
    )
    assert row.text == "Name: acme"


def test_e2_the_cut_is_after_the_last_line_that_fits() -> None:
    lines = [f"- {number:033}\n" for number in range(90)]
    text = "".join(lines)  # nine tokens each: 88 of them are 792, 89 are 801

    budget = budget_of("MEMORY.md", text)

    assert budget.is_over and budget.cut_after == 88
    assert [row.line for row in budget.over] == [89, 90]


def test_e2_a_text_of_exactly_the_limit_is_not_cut() -> None:
    budget = budget_of("MEMORY.md", "- " + "x" * (INDEX_TOKENS * 4 - 2))

    assert budget.tokens == INDEX_TOKENS and not budget.is_over
    assert budget.cut_after == 0 and budget.left == 0


def test_when_the_first_line_is_too_much_none_fits() -> None:
    assert budget_of("MEMORY.md", "x" * 4000).cut_after == -1


def test_lines_over_150_characters_are_named() -> None:
    budget = budget_of("MEMORY.md", f"- {'x' * 148}\n- {'y' * 149}\r\n")

    assert [row.line for row in budget.long_lines] == [2]


def test_any_text_has_a_ledger() -> None:
    for text in ("", "\n\n", "```\n# no\n", "\x00\u2028|" * 9000):
        budget = budget_of("MEMORY.md", text)

        assert sum(row.tokens for row in budget.rows) in (budget.tokens, 0)
