"""The reranker: what stays first, what moves, and that its weights fit its features."""

from __future__ import annotations

from pathlib import Path

import pytest

from memoryhub.search.queries import search
from memoryhub.search.reranking import NAMES, names_used
from memoryhub.search.weights import MEANING, WORDS
from tests.factories import imported

pytestmark = pytest.mark.django_db


def test_every_feature_has_a_weight_in_its_order() -> None:
    assert tuple(WORDS) == NAMES
    assert tuple(MEANING)[: len(NAMES)] == NAMES
    assert len(MEANING) == len(NAMES) + 4
    assert names_used() in {tuple(WORDS), tuple(MEANING)}


def test_the_answer_to_a_question_precedes_lines_with_the_same_word(
    hub_data: Path, workspace_root: Path
) -> None:
    log = (
        "# 2026-03-02\n\n- **Ines**: the pottery class is popular in town\n\n"
        "- **Ruth**: nothing else today\n\n\n\n\n\n"
        "- **Ruth**: When does your pottery class start?\n"
        "- **Ines**: On 14 April, in the old bakery near the river.\n"
    )
    workspace = imported(workspace_root, {"memory/2026-03-02.md": log})

    best = search(workspace, "When does the pottery class of Ines start?").hits[0]

    assert "14 April" in best.text


def test_a_line_with_the_name_stays_first_however_well_others_score(
    hub_data: Path, workspace_root: Path
) -> None:
    chat = (
        "- **Ana**: Did the billing queue fail?\n- **Bo**: The billing queue failed.\n"
    )
    files = {
        "memory/2024-01-05.md": "# 2024-01-05\n\nsaw OPS-1311\n",
        "memory/2026-01-05.md": "# 2026-01-05\n\n" + chat * 20,
    }
    workspace = imported(workspace_root, files)

    hits = search(workspace, "did the billing queue fail like OPS-1311?").hits

    assert hits[0].path == "memory/2024-01-05.md"
    assert len(hits) > 1


def test_scores_fall_from_the_first_hit_to_the_last(
    hub_data: Path, workspace_root: Path
) -> None:
    lines = "\n".join(
        f"- step {n}: check the valve of tank {n % 7}" for n in range(300)
    )
    workspace = imported(workspace_root, {"memory/tanks.md": f"# Tanks\n\n{lines}\n"})

    scores = [hit.score for hit in search(workspace, "valve tank 3", limit=300).hits]

    assert len(scores) > 60
    assert all(score >= 0 for score in scores)
    assert scores == sorted(scores, reverse=True)
