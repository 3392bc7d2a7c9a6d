from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from memoryhub.formats.snap_memory.injection import (
    HUB_HEADER,
    quoted,
    strip,
    unquoted,
    without_injected,
    wrap,
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


def test_what_follows_openclaws_notes_stays() -> None:
    notes = "[Startup context loaded by runtime]\nEND_QUOTED_NOTES\nEND_QUOTED_NOTES"

    assert without_injected(f"Before.\n{notes} After.") == "Before.\n After."
    assert without_injected(" plain \n") == " plain \n"


@given(st.text())
def test_every_line_of_a_quoted_text_is_quoted(text: str) -> None:
    assert all(line.startswith(">") for line in quoted(text).splitlines())


@given(st.text(st.characters(exclude_characters="\r\v\f\x1c\x1d\x1e\x85\u2028\u2029")))
def test_a_quoted_text_can_be_read_again(text: str) -> None:
    assert unquoted(quoted(text)) == text
