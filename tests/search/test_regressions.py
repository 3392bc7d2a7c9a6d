"""Questions written by hand: identifiers come first, five languages are answered."""

from __future__ import annotations

import re
from datetime import date, timedelta
from pathlib import Path

import pytest

from memoryhub.journal.models import Workspace
from memoryhub.search.queries import search
from tests.factories import imported

pytestmark = pytest.mark.django_db

_FOLDER = Path(__file__).parent / "questions"
_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_A-Za-z]+")
_IDENTIFIERS = (_FOLDER / "identifiers.txt").read_text().splitlines()
_ODD = (_FOLDER / "identifiers-odd.txt").read_text().splitlines()
_MODES: list[dict[str, object]] = [
    {}, {"recent": True}, {"token_budget": 300}, {"typing": True},
]  # fmt: skip


def day(number: int, first: date = date(2024, 1, 1)) -> str:
    return f"memory/{first + timedelta(days=number)}.md"


def old_names(root: Path, names: list[str]) -> Workspace:
    """Return a workspace of names in old files, and of their parts in newer ones."""
    files = {
        day(number): f"# Log\n\nMet {name} while working.\n"
        for number, name in enumerate(names)
    }
    for number, name in enumerate(names):
        parts = " ".join(_PART.findall(name))
        newer = f"# Log\n\n{parts}: again {parts}, and {parts} once more.\n"
        files[day(number, date(2026, 1, 1))] = newer
    return imported(root, files)


@pytest.mark.parametrize(("names", "number"), [(_IDENTIFIERS, 100), (_ODD, 33)])
def test_identifiers_come_first_in_every_mode(
    hub_data: Path, workspace_root: Path, names: list[str], number: int
) -> None:
    workspace = old_names(workspace_root, names)
    late = [
        (name, mode)
        for mode in _MODES
        for number, name in enumerate(names)
        if [hit.path for hit in search(workspace, name, limit=1, **mode).hits]
        != [day(number)]
    ]

    assert len(names) == number
    assert late == []


@pytest.mark.parametrize(
    "language", ["english", "german", "chinese", "japanese", "arabic"]
)
def test_forty_questions_of_a_language_are_answered(
    hub_data: Path, workspace_root: Path, language: str
) -> None:
    rows = (_FOLDER / f"{language}.txt").read_text().splitlines()
    pairs = [row.split(" | ") for row in rows]
    files = {
        day(number): "# Log\n\n" + "\n".join(f"- {text}" for text, _ in some) + "\n"
        for number, some in enumerate(pairs[at : at + 4] for at in range(0, 40, 4))
    }
    workspace = imported(workspace_root, files)

    given = [
        [hit.text for hit in search(workspace, question, token_budget=200).hits]
        for _, question in pairs
    ]
    found = [any(t in x for x in g) for (t, _), g in zip(pairs, given, strict=True)]
    first = [g and t in g[0] for (t, _), g in zip(pairs, given, strict=True)]

    assert len(pairs) == 40
    assert sum(found) >= 39
    assert sum(map(bool, first)) >= 37


@pytest.mark.parametrize(
    ("query", "written"),
    [
        ("المستخدم", "المُسْتَخْدِم يفضّل الإجابات القصيرة"),
        ("الاجابات", "المُسْتَخْدِم يفضّل الإجابات القصيرة"),
        ("مهلة 30", "تم تمديد مهلة الاسترجاع إلى ٣٠ يومًا"),
        ("اجتماع الموردين", "أُلغِي اجتـمـاع المورّدين"),
        ("שלום", "שָׁלוֹם לכולם"),
        ("کتابخانه ی", "كتابخانه‌ي مركزي"),
    ],
)
def test_a_word_is_found_with_and_without_its_vowels(
    hub_data: Path, workspace_root: Path, query: str, written: str
) -> None:
    workspace = imported(workspace_root, {"a.md": f"# سجل\n\n- {written}\n- لا شيء\n"})
    hits = search(workspace, query, token_budget=200).hits

    assert hits and written in hits[0].text
    assert hits[0].marks
