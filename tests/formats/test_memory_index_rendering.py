from __future__ import annotations

import datetime

from hypothesis import given
from hypothesis import strategies as st

from memoryhub.formats.optimizer.memory_index import POINTERS_31, parse
from memoryhub.formats.optimizer.memory_index_rendering import (
    IndexContents,
    PointerLine,
    render_index,
)

NOON = datetime.datetime(2026, 11, 20, 12, tzinfo=datetime.UTC)
POINTERS = st.lists(
    st.builds(PointerLine, st.text(), st.just("memory/a.md"), st.text())
)


def test_it_writes_the_template() -> None:
    contents = IndexContents(
        projects=[PointerLine("shop", "memories/project.md")],
        tasks=[PointerLine("Move\nwebhooks", "memory/context-webhooks.md")],
        files=[PointerLine("reads | the queue", "src/consumer.py")],
    )

    assert render_index(contents, NOON) == (
        "# MEMORY INDEX\n"
        "# Each entry is a pointer to a file, not a copy of its content.\n"
        "_Updated: 2026-11-20 12:00 | Token estimate: 114_\n"
        "\n## Current Project\n- Name: shop | Details → memories/project.md\n"
        "\n## Active Task\n"
        "- Move webhooks | Status: in-progress | Details → memory/context-webhooks.md\n"
        "\n## Key Constraints\n- (none)\n"
        "\n## Recently Referenced Files\n- src/consumer.py | reads / the queue\n"
        "\n_This index is a hint, not ground truth."
        " Read the linked files for details._\n"
    )


def test_what_it_writes_is_read_as_pointers() -> None:
    lines = [PointerLine(f"topic {n}", f"memory/context-{n}.md") for n in range(100)]

    index = parse(render_index(IndexContents(tasks=lines, files=lines), NOON))

    assert index.edition == POINTERS_31
    assert index.pointers[0].target == "memory/context-0.md"
    assert 20 < len(index.pointers) < 60


@given(POINTERS, POINTERS, st.lists(st.text()))
def test_it_keeps_the_limits(
    tasks: list[PointerLine], files: list[PointerLine], constraints: list[str]
) -> None:
    text = render_index(IndexContents(files, tasks, constraints * 9, files * 9), NOON)

    assert len(text) <= 800 * 4
    assert all(len(line) <= 150 for line in text.split("\n"))
