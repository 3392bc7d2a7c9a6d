from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from memoryhub.formats.injection import strip, wrap

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
