"""Training: labelled files in, weights out."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from memoryhub.prose import fit
from memoryhub.prose.__main__ import main
from memoryhub.prose.model import BITS, phrases_in

DECIDED, RULED, WAITING = (
    "We decided to use {} for the cache.",
    "Never touch the {} without asking me.",
    "Still waiting for the {} from the office.",
)
SAID = "The {} was as long as before."
HEADS = ("Decisions", "Rules from Dana", "Next steps", "Weather")
THINGS = ("wall", "gate", "oven", "mast", "rope", "well", "lamp", "barn", "mill")


@pytest.fixture
def labelled(tmp_path: Path) -> Path:
    """Return a folder of groups with a file for each thing."""
    for number, thing in enumerate(THINGS):
        workspace = tmp_path / "labelled" / f"group{number}" / "farm"
        workspace.mkdir(parents=True)
        lines = [one.format(thing) for one in (DECIDED, RULED, WAITING, SAID)]
        text = "".join(
            f"## {head}\n- {line}\n" for head, line in zip(HEADS, lines, strict=True)
        )
        (workspace / "day.md").write_text(text)
        row = {"workspace": "farm", "path": "day.md"} | {
            kind: [{"line": 2 * at, "text": lines[at - 1]}]
            for at, kind in enumerate(("decisions", "directives", "open"), 1)
        }
        (workspace.parent / "labels.jsonl").write_text(json.dumps(row) + "\n")
    return tmp_path / "labelled"


def test_a_labelled_line_is_what_its_unit_shall_be(labelled: Path) -> None:
    files = fit.read(labelled)

    assert len(files) == len(THINGS)
    assert [one.truth.tolist() for one in files[:1]] == [
        [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0]]
    ]


def test_training_writes_the_same_weights_to_each_path(
    labelled: Path, tmp_path: Path
) -> None:
    before, path = fit.WEIGHTS.read_bytes(), tmp_path / "weights.bin"

    told = [*fit.train(labelled, path)]

    assert [line.split(":")[0] for line in told] == ["decision", "directive", "open"]
    head, _, body = path.read_bytes().partition(b"\n")
    assert len(body) == 3 << BITS
    assert {*json.loads(head)["cuts"]} == {"decision", "directive", "open"}
    assert np.frombuffer(body, np.uint8).std() > 0
    assert fit.WEIGHTS.read_bytes() == before

    assert main(["fit", str(labelled), str(tmp_path / "again.bin")]) == 0
    assert (tmp_path / "again.bin").read_bytes() == path.read_bytes()


def test_it_tells_what_fewer_phrases_earn_and_keeps_them_all(
    labelled: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["earn", str(labelled), "1000"]) == 0

    told = capsys.readouterr().out.splitlines()
    assert [line.split(" phrases")[0] for line in told][1:] == ["1000", "1"]
    assert all("decision" in line and "open" in line for line in told)
    assert ("ordered", "from now on") in phrases_in("From now on, ask.")


def test_a_call_without_a_folder_says_how(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([]) == 2
    assert main(["fit", str(tmp_path / "nowhere")]) == 2

    assert "python -m memoryhub.prose fit FOLDER" in capsys.readouterr().err


def test_groups_for_training_alone_choose_no_cuts(
    labelled: Path, tmp_path: Path
) -> None:
    def below_labels() -> list[str]:
        told = fit.train(labelled, tmp_path / "weights.bin")
        return [line.rpartition(", ")[2] for line in told]

    before, weights = below_labels(), (tmp_path / "weights.bin").read_bytes()
    hard = labelled / f"{fit.TRAINED}1" / "farm"
    hard.mkdir(parents=True)
    (hard / "day.md").write_text("## Decisions\n- The wall is 3 m long.\n")
    row = {"workspace": "farm", "path": "day.md"}
    (hard.parent / "labels.jsonl").write_text(json.dumps(row) + "\n")

    assert before == ["9 labelled", "9 labelled", "9 labelled"]
    assert below_labels() == before
    assert (tmp_path / "weights.bin").read_bytes() != weights
