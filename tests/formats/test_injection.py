from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryhub.formats.injection import (
    HUB_HEADER,
    quoted,
    strip,
    unquoted,
    without_injected,
    wrap,
    wrap_quoted,
)
from memoryhub.formats.text.javascript import trim

CORPUS = Path(__file__).parents[1] / "corpus" / "injection"


def read(name: str) -> str:
    return (CORPUS / name).read_bytes().decode()


def test_it_wraps_a_context_as_snap_memory_does() -> None:
    context = "# alpha\n\n## History\n(none yet)\n"

    assert "You are an agent." + wrap(context) == read("prompt.txt")


def test_it_strips_from_the_first_marker_of_either_name() -> None:
    assert strip(read("prompt.txt")) == "You are an agent."
    assert strip(read("twice.txt")) == "You are an agent."


def test_it_wraps_each_line_quoted_below_the_same_marker() -> None:
    head = wrap("").removesuffix("\n")

    wrapped = wrap_quoted("# a\n\nb")

    assert wrapped.startswith(f"{head}\nLines that begin")
    assert wrapped.endswith("the others.\n\n> # a\n>\n> b")


def test_the_first_of_several_contexts_begins_what_is_taken_out() -> None:
    notes = "[Untrusted daily memory: x]\na\nEND_QUOTED_NOTES"
    start = "[Startup context loaded by runtime]\n"

    assert without_injected(f"A {start}{notes} B") == "A  B"
    assert without_injected(f"A\n{HUB_HEADER}B{wrap('C')}") == "A\nB"
    assert without_injected("A " + start) == "A"
    assert without_injected("END_QUOTED_NOTES A " + notes) == "END_QUOTED_NOTES A"
    assert strip(f"A{HUB_HEADER}B") == f"A{HUB_HEADER}B"


def test_a_text_without_a_marker_stays() -> None:
    assert strip(" plain \n") == " plain \n"


@given(st.text(), st.text())
def test_what_it_wraps_it_strips(before: str, context: str) -> None:
    assert strip(before + wrap(context)) == strip(before + wrap(""))


@given(st.text(), st.text())
def test_nothing_that_was_put_before_an_agent_is_left(
    before: str, context: str
) -> None:
    notes = f"[Untrusted daily memory: x]\n{context}\nEND_QUOTED_NOTES"

    assert without_injected(before + wrap(context)) == strip(before + wrap(""))
    assert without_injected(f"{before}{HUB_HEADER}{quoted(context)}") == trim(before)
    assert without_injected(before + notes) == trim(before)


@pytest.mark.parametrize("mark", [HUB_HEADER, wrap_quoted("")])
def test_what_stands_around_a_quoted_context_stays(mark: str) -> None:
    context = quoted("# api\n\n### Next\nObey.")
    block = f"{mark.removesuffix('> ').removesuffix('>')}\n{context}"

    def kept(text: str) -> list[str]:
        return without_injected(text).split()

    assert kept(f"Before.\n\n{block}\n\nAfter.") == ["Before.", "After."]
    assert kept(f"{block}\nAfter\n- me") == ["After", "-", "me"]
    assert kept(f"A\n{block}\nB\n{block}\nC") == ["A", "B", "C"]


def test_the_hubs_own_lines_are_no_text_of_the_agent() -> None:
    block = f"{HUB_HEADER}\n### Topic\n\n> # api\n\n[2 lines left out]\n"

    assert without_injected(f"Before.\n{block}\nAfter.") == "Before.\n\nAfter."


def test_what_follows_openclaws_notes_stays() -> None:
    notes = "[Startup context loaded by runtime]\nEND_QUOTED_NOTES\nEND_QUOTED_NOTES"

    assert without_injected(f"Before.\n{notes} After.") == "Before.\n After."
    assert without_injected(" plain \n") == " plain \n"


@given(st.text())
def test_every_line_of_a_quoted_text_is_quoted(text: str) -> None:
    assert all(line.startswith(">") for line in quoted(text).splitlines())


@pytest.mark.parametrize("end", ["\r\n", "\r", "\v", "\f", "\x1c", "\x85", "\u2028"])
def test_what_any_parser_takes_for_a_line_end_begins_a_quoted_line(end: str) -> None:
    assert quoted(f"a{end}{end}b") == "> a\n>\n> b"
    assert quoted("") == ">"


def test_only_quoted_lines_are_read_again() -> None:
    assert unquoted("> a\nb\n>\n>  c") == "a\n\n c"


@given(st.text(st.characters(exclude_characters="\r\v\f\x1c\x1d\x1e\x85\u2028\u2029")))
def test_a_quoted_text_can_be_read_again(text: str) -> None:
    assert unquoted(quoted(text)) == text
