"""Questions for a time, a person or a place prefer lines that name one."""

from __future__ import annotations

from pathlib import Path

import pytest

from memoryhub.journal.models import Workspace
from memoryhub.search.asking import questions_in
from memoryhub.search.queries import search
from tests.factories import imported

_LINES = """
The mirror was cleaned without delay.
The mirror was cleaned by Ottilie.
The mirror was cleaned at the depot in Bremen.
The mirror was cleaned on 3 March at 14:00.
Der Spiegel wurde sofort gereinigt und poliert.
Der Spiegel wurde am 3. März um 14 Uhr gereinigt.
镜子已经清洗干净了没有问题。
镜子在三月五日下午清洗干净了。
镜子由王芳清洗干净了没问题。
镜子在上海办公室清洗干净了。
El espejo se limpió sin demora alguna.
El espejo se limpió el 3 de marzo por la tarde.
Le miroir a été nettoyé sans aucun délai.
Le miroir a été nettoyé le 3 mars à 14 h.
鏡はすぐに掃除されました問題ありません。
鏡は三月五日の午後に掃除されました。
"""


@pytest.fixture
def mirror(hub_data: Path, workspace_root: Path) -> Workspace:
    text = "\n\n---\n\n".join(_LINES.strip().split("\n"))
    return imported(workspace_root, {"mirror.md": f"# Facts\n\n{text}\n"})


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("when was the mirror cleaned", "14:00"),
        ("do you know when the mirror was cleaned?", "14:00"),
        ("who cleaned the mirror", "Ottilie"),
        ("where was the mirror cleaned", "Bremen"),
        ("Wann wurde der Spiegel gereinigt?", "März"),
        ("镜子什么时候清洗的", "三月五日"),
        ("谁清洗了镜子", "王芳"),
        ("镜子在哪里清洗的", "上海"),
        ("¿Cuándo se limpió el espejo?", "marzo"),
        ("Cuando se limpió el espejo", "marzo"),
        ("Quand le miroir a-t-il été nettoyé ?", "mars"),
        ("鏡はいつ掃除されましたか", "三月五日"),
    ],
)
def test_the_line_that_answers_comes_first(
    mirror: Workspace, question: str, answer: str
) -> None:
    assert answer in search(mirror, question, token_budget=300).hits[0].text


@pytest.mark.parametrize(
    "text",
    ["people who like tea", "restart when the disk is full", "いつもの会議",
     "files where it failed", "wohl kaum", "quite a lot", "ou pas"],
)  # fmt: skip
def test_such_words_elsewhere_ask_nothing(text: str) -> None:
    assert questions_in(text) == frozenset()
