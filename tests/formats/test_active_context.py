from __future__ import annotations

from pathlib import Path, PurePosixPath

from hypothesis import given
from hypothesis import strategies as st

from memoryhub.formats.base import Lines
from memoryhub.formats.optimizer.active_context import matches, parse
from memoryhub.formats.text.decoding import decode

CORPUS = Path(__file__).parents[1] / "corpus" / "active_context"


@given(
    st.lists(st.sampled_from(["# ", "a", "\n", "- ", "---", "k: v"]) | st.text()).map(
        "".join
    )
)
def test_any_text_renders_back(text: str) -> None:
    assert parse(text).render() == text


def test_it_reads_the_task_and_its_items() -> None:
    context = parse((CORPUS / "context.md").read_text(encoding="utf-8"))

    assert context.task == "Move the webhooks to the queue, without downtime."
    assert context.task_lines == Lines(3, 4)
    assert [(i.text, i.checked, i.section) for i in context.items] == [
        ("consumer", True, "Steps"),
        ("producer with retries", False, "Steps"),
    ]


def test_it_reads_cr_lf_and_a_mark() -> None:
    context = parse(decode((CORPUS / "crlf-bom.md").read_bytes()).text)

    assert (context.task, context.task_lines) == ("Fix the 登录 page.", Lines(1, 1))


def test_an_empty_context_has_no_task() -> None:
    assert (parse("").task, parse("# a\n").task_lines) == ("", None)


def test_it_matches_by_place() -> None:
    assert matches(PurePosixPath("memories/context.md"), "")
    assert not matches(PurePosixPath("memory/context.md"), "")
