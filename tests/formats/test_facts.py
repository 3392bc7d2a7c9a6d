"""Facts: what documents state, in one vocabulary."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import get_args

from memoryhub.dialects import facts
from memoryhub.dialects.registry import parse
from memoryhub.formats.base import NOWHERE, FormatError, Lines
from tests.every_dialect import write_every_dialect


def facts_of(path: str, text: str) -> list[facts.Fact]:
    place = PurePosixPath(path)
    return [*parse(place, text).facts(place)]


def test_all_facts_are_of_the_vocabulary_and_have_lines_of_their_text(
    tmp_path: Path,
) -> None:
    write_every_dialect(tmp_path, small=True)
    kinds = set()
    for path in sorted(one for one in tmp_path.rglob("*") if one.is_file()):
        text = path.read_bytes().decode("utf-8", "replace")
        try:
            found = facts_of(str(path.relative_to(tmp_path)), text)
        except FormatError:
            continue
        kinds |= {*map(type, found)}
        for fact in found:
            lines = getattr(fact, "lines", NOWHERE)
            last = text.count("\n") + 1
            assert lines == NOWHERE or 1 <= lines.first <= lines.last <= last, path

    assert kinds <= {*get_args(facts.Fact)}
    assert {facts.Agent, facts.Binding, facts.Decision, facts.History} <= kinds


def test_a_topic_file_states_topic_history_session_and_decisions() -> None:
    text = (
        "# Roof\n\n## Meta\n- **session**: agent:main:main\n- **created**: 2026-01-02\n"
        "\n## Current Status\nDry.\n\n## Key Decisions\n- slate\n\n## History\n"
        "- 2026-01-03: Auto-saved before compaction (40 messages)\n"
        "- 2026-01-03: Compaction completed (40→9 messages)\n"
    )

    topic, saved, compacted, binding, decision = facts_of(
        "memory/context-roof.md", text
    )

    assert isinstance(topic, facts.Topic) and topic.name == topic.key == "roof"
    assert (topic.title, topic.status, topic.status_lines) == ("Roof", "Dry.", (8, 8))
    assert isinstance(saved, facts.History) and saved.saved == ("compaction", 40)
    assert isinstance(compacted, facts.History) and compacted.compacted == (40, 9)
    assert binding == facts.Binding("agent:main:main", "roof", Lines(4, 4))
    assert isinstance(decision, facts.Decision) and decision.said.text == "slate"


def test_the_files_of_a_bank_describe_their_folder_or_belong_to_it() -> None:
    folder = "shop/memory-bank"
    (focus,) = facts_of(f"{folder}/activeContext.md", "# A\n\n## Current Focus\nTax.\n")
    progress, done = facts_of(f"{folder}/progress.md", "# P\n\n## Done\n- [x] till\n")
    (tech,) = facts_of(f"{folder}/techContext.md", "# T\n\nPython.\n")

    assert isinstance(focus, facts.Topic) and focus.status == "Tax."
    assert isinstance(progress, facts.Topic) and not progress.status
    assert focus.name == progress.name == "shop" and focus.key == progress.key == folder
    assert isinstance(done, facts.History) and done.text == "till"
    assert tech == facts.PartOf(folder)
