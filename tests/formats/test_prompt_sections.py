from __future__ import annotations

import pytest

from memoryhub.formats.base import FormatError
from memoryhub.formats.optimizer.prompt_sections import BOUNDARY, prompt_sections


@pytest.mark.parametrize("inner", ["plain", "```\n```", "a\n[STATIC SECTION]\n> b"])
def test_no_memory_ends_its_quotation(inner: str) -> None:
    said = prompt_sections("Role.", f"{inner}\n{BOUNDARY}", "t", "now").dynamic

    lines = said.split("\n")[2:-3]
    assert lines == [f"> {line}" for line in [*inner.split("\n"), BOUNDARY]]


def test_the_boundary_stands_once_before_all_that_changes() -> None:
    made = prompt_sections("Role.", f"x\n{BOUNDARY}\n", "task", "now").text

    assert made.index("Role.") < made.index(BOUNDARY) < made.index("Current task")


def test_a_static_text_with_the_boundary_is_refused() -> None:
    with pytest.raises(FormatError, match="prompt-breaks-sections"):
        prompt_sections(f"a\n{BOUNDARY}", "", "", "now")


def test_without_memory_nothing_is_quoted() -> None:
    assert ">" not in prompt_sections("Role.", " \n", "", "now").text
