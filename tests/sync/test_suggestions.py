"""Suggestions: apart from what is declared, accepted or dismissed for good."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from memoryhub.events.models import Event
from memoryhub.formats.base import FormatError
from memoryhub.journal.models import Operation, Workspace
from memoryhub.prose import fit, model
from memoryhub.sync.edit.editing import apply_edit, undo
from memoryhub.sync.record.projection import rebuild
from snapshots.models import OpenItem
from snapshots.queries.open_items import open_count, open_work
from snapshots.queries.suggestions import Suggestion, suggestions
from snapshots.services.assigning import assignment
from snapshots.services.judging import judge
from tests.factories import TOPIC, imported
from tests.writing import assert_a_rebuild_changes_nothing, say
from topics.models import Decision, Directive, Topic
from topics.services.topics import Author

LOG = "memory/2026-11-20.md"
SENTENCES = (
    "# 2026-11-20\n\n## 07:30 - Started\n\n"
    "We decided to keep one file per day, not one per hour, because it is simpler.\n\n"
    "Still need to write the release notes.\n\n"
    'Dana said: "Never push to main on a Friday."\n'
)
DECLARED = (
    "# 2026-11-20\n\n## Decisions\n\n- Keep SQLite for the queue\n\n"
    "## Next steps\n\n- [ ] Measure the import\n"
)


@pytest.fixture
def workspace(hub_data: Path, db: None, workspace_root: Path) -> Workspace:
    files = {LOG: SENTENCES, "memory/2026-11-19.md": DECLARED}
    return imported(workspace_root, files)


def suggested(workspace: Workspace, kind: str) -> Suggestion:
    (found,) = suggestions(workspace, kinds=(kind,))
    return found


def said(workspace: Workspace, verb: str, *kinds: str) -> Operation:
    marks = [suggested(workspace, kind).mark for kind in kinds]
    return judge(workspace, verb, marks, Author("dana", date(2026, 11, 20)))


def texts(workspace: Workspace) -> list[str]:
    return [one.row.text for one in suggestions(workspace)]


ALL = ("decision", "directive", "item")


def test_what_sentences_say_is_suggested_and_in_no_number(workspace: Workspace) -> None:
    assert [row.text for row in Decision.objects.all()] == ["Keep SQLite for the queue"]
    assert not Directive.objects.exists()
    assert [work.text for work in open_work(workspace)] == ["Measure the import"]
    assert open_count(workspace) == 1
    assert [one.kind for one in suggestions(workspace)] == [*ALL]
    assert all(0.5 < one.row.confidence < 1 for one in suggestions(workspace))
    assert not Event.objects.filter(kind="decision", title__contains="per day").exists()


def test_an_accepted_suggestion_is_declared_by_that_person(
    workspace: Workspace,
) -> None:
    said(workspace, "accept", *ALL)

    assert not texts(workspace)
    assert open_count(workspace) == 2
    row = Decision.objects.get(text__contains="per day")
    assert row.judged_by == "dana" and row.judged_at
    assert 0.5 < row.confidence < 1
    assert Directive.objects.get().judged_by == "dana"


def test_a_dismissed_suggestion_is_hidden_for_good(workspace: Workspace) -> None:
    said(workspace, "dismiss", *ALL)

    say(workspace, {LOG: SENTENCES + "\nMore.\n", "memory/2026-11-21.md": SENTENCES})

    assert not texts(workspace)
    assert open_count(workspace) == 1
    assert {
        row.grade for row in OpenItem.everything.filter(text__contains="notes")
    } == {"dismissed"}


def test_verdicts_survive_a_rebuild_and_changes_of_the_file(
    workspace: Workspace,
) -> None:
    said(workspace, "accept", "decision", "item")
    said(workspace, "dismiss", "directive")
    say(workspace, {LOG: SENTENCES.replace("Started", "Began")})

    assert open_count(workspace) == 2
    assert_a_rebuild_changes_nothing(workspace)
    assert open_count(workspace) == 2 and not texts(workspace)
    assert Decision.objects.get(text__contains="per day").judged_by == "dana"


def test_a_verdict_can_be_undone(workspace: Workspace) -> None:
    before = texts(workspace)
    undo(workspace, said(workspace, "dismiss", *ALL), "dana")

    assert texts(workspace) == before
    assert_a_rebuild_changes_nothing(workspace)
    assert texts(workspace) == before


def test_what_a_file_declares_later_is_declared(workspace: Workspace) -> None:
    moved = "# 2026-11-20\n\n## Decisions\n\n- We decided to keep one file per day.\n"
    say(workspace, {LOG: moved})

    assert Decision.objects.filter(text__contains="per day", confidence=1).exists()
    assert Event.objects.filter(kind="decision", title__contains="per day").exists()


def test_what_is_no_suggestion_cannot_be_judged(workspace: Workspace) -> None:
    declared, author = Decision.objects.get(), Author("dana", date(2026, 11, 20))

    with pytest.raises(FormatError, match="row-unknown"):
        judge(workspace, "accept", [f"decision:{declared.code}", "x:y", "z"], author)


def test_an_undone_dismissal_can_be_made_again_by_undoing_the_undo(
    workspace: Workspace,
) -> None:
    back = undo(workspace, said(workspace, "dismiss", *ALL), "dana")
    undo(workspace, back, "dana")

    assert not texts(workspace)
    assert_a_rebuild_changes_nothing(workspace)
    assert not texts(workspace)


def test_a_suggestion_rejects_and_replaces_nothing_that_is_declared(
    workspace: Workspace,
) -> None:
    before = Decision.objects.get().state
    against = "We decided against SQLite for the queue and keep files because "
    say(workspace, {LOG: f"{SENTENCES}\n{against}it is simpler.\n"})

    assert any(text.startswith(against) for text in texts(workspace))
    assert Decision.objects.get().state == before


def test_a_suggestion_that_a_later_day_reports_done_is_none(
    workspace: Workspace,
) -> None:
    done = "# Log\n\n- [x] Still need to write the release notes\n"
    say(workspace, {"memory/2026-11-21.md": done})

    assert not suggestions(workspace, kinds=("item",))


@pytest.fixture
def unsure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Have a model that suggests nothing."""
    head, _, body = fit.WEIGHTS.read_bytes().partition(b"\n")
    never = json.loads(head) | {"cuts": {kind: [1.0, 0.0] for kind in model.KINDS}}
    weights = tmp_path / "weights.bin"
    weights.write_bytes(json.dumps(never).encode() + b"\n" + body)
    monkeypatch.setattr(model, "_WEIGHTS", weights)
    model._model.cache_clear()
    yield
    model._model.cache_clear()


def test_what_people_accepted_stays_when_the_model_does_not_find_it_any_more(
    workspace: Workspace, request: pytest.FixtureRequest
) -> None:
    said(workspace, "accept", *ALL)
    say(workspace, {"memory/2026-11-21.md": "We decided to drop the old queue.\n"})
    assert texts(workspace) == ["We decided to drop the old queue."]
    models = Decision, Directive, OpenItem

    def accepted() -> list[tuple[int, str, str]]:
        rows = (row for one in models for row in one.objects.filter(judged_by="dana"))
        return [(row.pk, row.text, row.grade) for row in rows]

    before = accepted()
    request.getfixturevalue("unsure")
    rebuild(workspace)

    assert not texts(workspace)
    assert accepted() == before and len(before) == len(ALL)
    say(workspace, {LOG: SENTENCES.replace("Started", "Began")})
    assert len(accepted()) == len(ALL)
    assert_a_rebuild_changes_nothing(workspace)


def test_an_assigned_item_stays_when_the_model_does_not_find_it_any_more(
    workspace: Workspace, request: pytest.FixtureRequest
) -> None:
    say(workspace, {"memory/context-api.md": TOPIC})
    row = OpenItem.everything.get(text__contains="release notes")
    owner = Topic.objects.get(name="api")
    apply_edit(workspace, assignment(row, agent=None, topic=owner.pk, actor="dana"))

    request.getfixturevalue("unsure")
    rebuild(workspace)

    row = OpenItem.objects.get(pk=row.pk)
    assert row.topic_id == owner.pk and row.topic_rule == "assigned"
    assert row.grade == "declared"
    assert_a_rebuild_changes_nothing(workspace)
