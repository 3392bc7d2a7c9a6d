"""Texts that grow: what a version shares with the one before is read once."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from memoryhub.formats.openclaw.daily_log import DailyLog, parse
from memoryhub.formats.text.source import Growing
from tests.growth import assert_in_proportion, read_anew

ROOT = Path(__file__).parents[2]

LINES = (
    "- 09:30 moved the boxes",
    "- swept the yard",
    "## 10:15 Deliveries",
    "### Notes",
    "## Open work",
    "- [ ] call the glazier",
    "- [x] call the glazier",
    "We decided to keep the old gate.",
    "TODO: oil the hinges",
    "The paint must still be ordered.",
    "The paint was ordered.",
    "Open: the hinges; the latch",
    "```",
    "  a line within",
    "",
    "---",
    "Next steps:",
    "<!-- a remark -->",
    "11:40 spoke with the mason about the wall, who has to come again",
    "任务：还需要 检查 the wall",
    "**Next:** paint the fence; oil the latch",
    "Decisions:",
    "  - keep the old gate",
    "| Task | Status |",
    "|---|---|",
    "| paint the fence | open |",
    "| Decision | Why |",
    "| sell the cart | no room |",
    "- [todo] paint the fence",
    "⏳ the mason's answer",
    "TODO ✅ is the sign of what is done",
    "- **session**: agent:main:telegram:+49 170/1",
    "agent:ops:main said so",
    "It was agreed that the gate stays where it is, since the road is there and",
    "we must still paint the fence behind it.",
    "painted the fence",
    "## Session summary",
    "No session activity today.",
    "## Wrap-up",
    "<!-- BIG-MEMORY-SNAPSHOT v1 -->",
    "<!-- /BIG-MEMORY-SNAPSHOT -->",
    "ΟΔΟΣ. Σας İstanbul must still be painted",
)
#: Long enough for the values of its parts to be cached.
HEAD = "# 2026-11-20\n\n" + "".join(f"- carried stone {n}\n" for n in range(120))


def _text(seed: int) -> str:
    chance = Random(seed)
    return "\n".join(chance.choices(LINES, k=chance.randrange(1, 60)))


def _alone(text: str, monkeypatch: pytest.MonkeyPatch) -> DailyLog:
    """Parse a text as if no other had been parsed before."""
    with monkeypatch.context() as patch:
        read_anew(patch)
        return parse(text)


def _files() -> list[str]:
    """Return the texts of the labelled set, the corpus and the samples, shuffled."""
    folders = ("tests/labelled", "tests/corpus", "samples")
    found = (path for folder in folders for path in (ROOT / folder).rglob("*.md"))
    texts = sorted(path.read_bytes().decode(errors="replace") for path in found)
    Random(1).shuffle(texts)
    return texts


@pytest.mark.parametrize("seed", range(4))
def test_files_that_grow_are_read_as_if_they_were_new(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    files, chance = _files(), Random(seed)
    for text in files[seed::20]:
        whole = HEAD + text + chance.choice(files)
        cuts = sorted(chance.choices(range(2_000, len(whole)), k=3))

        grown = [parse(whole[:cut]) for cut in [*cuts, len(whole)]]

        for log in grown:
            assert log == _alone(log.text, monkeypatch)


@pytest.mark.parametrize("head", ["", HEAD])
@pytest.mark.parametrize("seed", range(60))
def test_a_log_that_grew_is_read_as_if_it_were_new(
    head: str, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    text, chance = head + _text(seed), Random(seed)
    cuts = sorted(chance.sample(range(len(text)), 4))

    grown = [parse(text[:cut]) for cut in [*cuts, len(text)]]

    for log in grown:
        assert log == _alone(log.text, monkeypatch)


def test_values_are_those_of_a_text_that_goes_on_not_of_another() -> None:
    growing, made = Growing[str](), "a" * 4_000
    growing.parts_of(made).value((0, 1), lambda: "first")

    assert growing.parts_of(made + "b").value((0, 1), lambda: "new") == "first"
    assert growing.parts_of("b" + made).value((0, 1), lambda: "new") == "new"


def test_a_text_is_compared_with_others_once(monkeypatch: pytest.MonkeyPatch) -> None:
    growing, text, compared = Growing[int](), "a" * 4_000, list[str]()

    def longest(one: str) -> None:
        compared.append(one)

    monkeypatch.setattr(growing, "_longest", longest)
    for place in range(5):
        growing.parts_of(text).value((place, place), lambda: 0)

    assert compared == [text]


def test_few_texts_are_cached() -> None:
    growing = Growing[int]()
    for number in range(40):
        growing.parts_of(f"{number} " + "a" * 3_000)

    assert len(growing._texts) < 20


def test_reports_of_many_items_are_compared_in_proportion() -> None:
    def work(size: int) -> None:
        lines = (f"- leak {n} must be fixed\n- leak {n} fixed\n" for n in range(size))
        parse("".join(lines))

    assert_in_proportion(work, 250)
