"""Editing a topic's status from its page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.test import Client

from memoryhub.events.models import Event
from memoryhub.journal.models import Operation, Revision, Workspace
from memoryhub.sync.edit.editing import apply_edit
from memoryhub.sync.edit.edits import Edit
from tests.factories import TOPIC, imported, small
from topics.models import Topic

PATH = "memory/context-api.md"
URL = "/w/acme/topics/api/status/"
HTMX = {"HX-Request": "true"}


@pytest.fixture
def workspace(hub_data: Path, db: None, workspace_root: Path) -> Workspace:
    return small(workspace_root)


def base(client: Client) -> str:
    page = client.get(URL).content.decode()
    found = re.search(r'name="base" value="([^"]*)"', page)
    assert found
    return found[1]


def test_p1_saving_changes_the_text_makes_a_revision_and_is_on_the_timeline(
    client: Client, workspace: Workspace
) -> None:
    before = Revision.objects.count()

    answer = client.post(URL, {"text": "All done.", "base": base(client)})

    assert (answer.status_code, answer["Location"]) == (303, "/w/acme/topics/api/")
    assert Topic.objects.get().status == "All done."
    assert Revision.objects.count() == before + 1
    shown = client.get("/w/acme/topics/api/").content.decode()
    assert "Edited here" in shown and "Status saved" in shown
    assert Event.objects.get(kind="edit").topic == Topic.objects.get()


def test_p1_the_second_of_two_tabs_gets_both_texts(
    client: Client, workspace: Workspace
) -> None:
    begun = base(client)
    client.post(URL, {"text": "From the <first> tab", "base": begun})

    answer = client.post(URL, {"text": "From the second", "base": begun})

    page = answer.content.decode()
    assert answer.status_code == 409
    assert "From the &lt;first&gt; tab" in page and "From the second" in page
    assert Topic.objects.get().status == "From the <first> tab"


def test_p1_after_the_conflict_one_can_save_over_it(
    client: Client, workspace: Workspace
) -> None:
    client.post(URL, {"text": "First", "base": base(client)})

    client.post(URL, {"text": "Second", "base": "First"})

    assert Topic.objects.get().status == "Second"


def test_line_ends_of_browsers_are_no_conflict(
    client: Client, hub_data: Path, db: None, workspace_root: Path
) -> None:
    imported(workspace_root, {PATH: TOPIC.replace("live. See", "live.\nSee")})
    begun = base(client).replace("\n", "\r\n")

    answer = client.post(URL, {"text": "One\r\nTwo", "base": begun})

    assert answer.status_code == 303
    assert "One\nTwo\n" in (workspace_root / PATH).read_text()


def test_a_status_that_would_begin_a_section_is_told_at_the_field(
    client: Client, workspace: Workspace
) -> None:
    text = "Fine\n## Key Decisions"

    answer = client.post(URL, {"text": text, "base": base(client)})

    page = answer.content.decode()
    assert answer.status_code == 422
    assert 'aria-invalid="true"' in page and "## Key Decisions" in page


def test_the_same_form_sent_twice_is_done_once(
    client: Client, workspace: Workspace
) -> None:
    said = {"text": "Done.", "base": base(client), "key": "form-1"}

    answers = [client.post(URL, said).status_code for _ in range(2)]

    assert answers == [303, 303]
    assert Operation.objects.count() == 1


def test_where_edits_are_reviewed_it_waits_and_says_so(
    client: Client, workspace: Workspace
) -> None:
    Workspace.objects.update(review_before_writing=True)

    client.post(URL, {"text": "Soon.", "base": base(client)})

    page = client.get("/w/acme/topics/api/").content.decode()
    assert "Soon." in page and "not exported yet" in page
    assert "Soon." not in Path(workspace.root, PATH).read_text()
    assert base(client) == "Soon."


def test_htmx_gets_the_form_alone_and_the_card_back(
    client: Client, workspace: Workspace
) -> None:
    form = client.get(URL, headers=HTMX)
    card = client.get(f"{URL}?card=1", headers=HTMX).content.decode()

    assert "<html" not in form.content.decode() and "HX-Request" in form["Vary"]
    assert "Endpoints live." in card and "<form" not in card


def test_the_page_offers_the_form_and_notes_what_the_limit_drops(
    client: Client, workspace: Workspace
) -> None:
    Workspace.objects.update(max_decisions=1)

    page = client.get("/w/acme/topics/api/").content.decode()

    assert f'href="{URL}"' in page
    assert "Decisions: 1 of 1." in page and "Poll every minute" in page


def test_only_topic_files_have_a_status_to_set(
    client: Client, hub_data: Path, db: None, workspace_root: Path
) -> None:
    imported(workspace_root, {"memory/notes.md": "# Notes\n\nSome words.\n"})

    assert client.get("/w/acme/topics/notes/status/").status_code == 404
    assert client.post("/w/acme/topics/none/status/").status_code == 404
    assert client.delete("/w/acme/topics/notes/status/").status_code == 405


def test_what_is_edited_elsewhere_meanwhile_is_not_lost(
    client: Client, workspace: Workspace
) -> None:
    begun = base(client)
    apply_edit(workspace, Edit(PATH, "add_decision", {"text": "Use it"}, "agent"))

    client.post(URL, {"text": "Done.", "base": begun})

    text = Path(workspace.root, PATH).read_text()
    assert "- Use it" in text and "Done." in text


def test_p3_the_source_of_the_status_is_its_line_with_blame(
    client: Client, workspace: Workspace
) -> None:
    page = client.get("/w/acme/topics/api/").content.decode()

    assert f'href="/w/acme/files/{PATH}?view=blame#L9"' in page


@pytest.mark.parametrize(
    ("text", "said"),
    [("12345678", "2 tokens, as before"), ("界" * 3, "3 tokens, +1"), ("", "−2")],
)
def test_what_a_text_costs_is_said_while_it_is_written(
    client: Client, workspace: Workspace, text: str, said: str
) -> None:
    typed = {"count": "1", "text": text, "base": "1234567"}

    answer = client.post(URL, typed, headers=HTMX)

    assert answer.content.decode().endswith(said)
    assert Topic.objects.get().status != text


def test_changes_of_other_lines_are_merged_and_shown_as_hunks(
    client: Client, workspace: Workspace
) -> None:
    begun = "Tests wait.\nRoutes are mapped.\nDocs wait."
    client.post(URL, {"text": begun, "base": base(client)})
    client.post(URL, {"text": begun.replace("Tests wait", "Tests pass"), "base": begun})

    mine = begun.replace("Docs wait", "Docs are out")
    page = client.post(URL, {"text": mine, "base": begun}).content.decode()

    merged = "Tests pass.\nRoutes are mapped.\nDocs are out."
    assert f"\n{merged}</textarea>" in page
    assert "no line was changed by both" in page
    assert page.count('class="diff"') == 2 and "<ins>" in page


def clash(client: Client) -> dict[str, str]:
    """Save a text that another one overtook; return the fields of the form then."""
    begun = "Tests wait.\nRoutes are mapped.\nDocs wait."
    client.post(URL, {"text": begun, "base": base(client)})
    now = "Tests pass.\nRoutes are mapped.\nDocs wait."
    client.post(URL, {"text": now, "base": begun})
    mine = "Tests run.\nRoutes are mapped.\nDocs are out."
    answer = client.post(URL, {"text": mine, "base": begun})
    page = answer.content.decode()
    assert answer.status_code == 409
    assert "Tests pass." in page and "choose which stay" in page
    names = re.findall(r'name="(choice-[^"]+)" value="here"', page)
    assert names == ["choice-0-0"]
    return {"text": mine, "base": begun, "disk": now}


@pytest.mark.parametrize(
    ("choice", "first"),
    [
        ({"choice-0-0": "disk"}, "Tests pass."),
        ({"choice-0-0": "here"}, "Tests run."),
        ({"choice-0-0": "both"}, "Tests pass.\nTests run."),
        ({"choice-0-0": "other", "text-0-0": "Tests end."}, "Tests end."),
    ],
)
def test_of_lines_that_both_changed_a_person_chooses(
    client: Client, workspace: Workspace, choice: dict[str, str], first: str
) -> None:
    answer = client.post(URL, clash(client) | choice)

    assert answer.status_code in (302, 303)
    wanted = f"{first}\nRoutes are mapped.\nDocs are out."
    assert Topic.objects.get().status == wanted


def test_nothing_is_written_before_every_difference_has_a_choice(
    client: Client, workspace: Workspace
) -> None:
    form = clash(client)

    answer = client.post(URL, form)

    assert answer.status_code == 409
    assert "Choose for every difference first." in answer.content.decode()
    assert Topic.objects.get().status == form["disk"]


def test_what_was_chosen_is_not_lost_if_the_file_changes_again(
    client: Client, workspace: Workspace
) -> None:
    form = clash(client)
    again = "Tests pass.\nRoutes are mapped.\nDocs wait.\nShip it."
    client.post(URL, {"text": again, "base": form["disk"]})

    answer = client.post(URL, form | {"choice-0-0": "here"})

    page = answer.content.decode()
    assert answer.status_code == 409
    assert "Ship it." in page and "Tests run." in page
    assert Topic.objects.get().status == again
