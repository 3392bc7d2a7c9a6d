"""Acts on handoffs: done once, taken back, refused when out of date or out of turn."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.test import Client

from memoryhub.dialects import handoff as handoff_format
from memoryhub.dialects.handoff import Task
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.services.sending import Terms, send
from memoryhub.handoffs.services.steps import take
from memoryhub.journal.models import Operation, Workspace
from memoryhub.journal.versions import newest_text
from tests.handoffs.crew import BOARD, NOON, by, html, sent
from tests.handoffs.steps import block, mark_failed, sign_off
from tests.writing import say


def act(client: Client, handoff: Handoff, name: str, **said: str) -> int:
    """Do an act as its form would, and return the status of the answer."""
    form = {"base": current(handoff).standing, **said}
    return client.post(f"{BOARD}{handoff.code}/{name}/", form).status_code


def current(handoff: Handoff) -> Handoff:
    return Handoff.objects.get(pk=handoff.pk)


def choices(client: Client, handoff: Handoff) -> list[str]:
    page = html(client, f"{BOARD}{handoff.code}/change/")
    return re.findall(rf'href="{BOARD}\w+/([\w-]+)/" hx-get', page)


def test_a_sign_off_is_written_and_can_be_taken_back(
    client: Client, acme: Workspace
) -> None:
    handoff = sent(acme, "decision")
    file = Path(acme.root) / handoff.file.path

    assert act(client, handoff, "sign-off", reason="go") == 303
    assert "operator: signed off -- go" in file.read_text()
    key = Operation.objects.filter(verb="sign_handoff").get().key
    client.post(f"/w/acme/undo/{key}/")

    assert current(handoff).signed_by == ""
    assert "signed off" not in file.read_text()


def test_where_edits_are_reviewed_it_is_written_at_once_and_said_to_be(
    client: Client, acme: Workspace
) -> None:
    Workspace.objects.update(review_before_writing=True)
    handoff = sent(acme, "decision")

    assert act(client, handoff, "sign-off") == 303

    preview = html(client, "/w/acme/export/")
    assert "operator: signed off" in (Path(acme.root) / handoff.file.path).read_text()
    assert "0 files would change. No edit waits to be written." in preview
    assert "Handoff actions are always written at once." in preview


def test_h3_a_second_sign_off_shows_who_signed_and_changes_nothing(
    client: Client, acme: Workspace
) -> None:
    handoff = sent(acme, "decision")
    form = {"base": handoff.standing}
    sign_off(handoff, by("lead", 1))

    answer = client.post(f"{BOARD}{handoff.code}/sign-off/", form)

    page = answer.content.decode()
    assert answer.status_code == 409
    assert "1 sent, planner" in page and "2 signed off, lead" in page
    assert "Signed off lead" in page
    assert current(handoff).signed_by == "lead"


def test_the_same_form_sent_twice_acts_once(client: Client, acme: Workspace) -> None:
    handoff = sent(acme, "decision")
    form = {"base": handoff.standing, "key": "k1"}

    for _ in range(2):
        client.post(f"{BOARD}{handoff.code}/sign-off/", form)

    assert current(handoff).moves == 2


@pytest.mark.parametrize("name", ["send-back", "block", "override", "fail"])
def test_acts_that_stop_others_need_a_reason(
    client: Client, acme: Workspace, name: str
) -> None:
    handoff = sent(acme)

    assert act(client, handoff, name, reason=" ") == 422
    assert current(handoff).moves == 1
    assert act(client, handoff, name, reason="no key") == 303
    assert current(handoff).last_reason == "no key"


def test_a_write_out_of_turn_is_refused_unless_it_may_go_first(
    client: Client, acme: Workspace
) -> None:
    sent(acme)
    second = sent(acme, minutes=1)

    refused = html(client, f"{BOARD}{second.code}/take/")
    assert "comes first" in refused
    assert act(client, second, "take") == 422
    act(client, second, "override", reason="the shop is closed")

    assert act(client, second, "take") == 303
    assert current(second).taken_by == "operator"


def test_taken_work_is_put_back_or_ends_with_a_result(
    client: Client, acme: Workspace
) -> None:
    handoff = sent(acme, "read_only")
    take(handoff, by("builder"))

    act(client, handoff, "put-back")
    assert current(handoff).state == "open"
    act(
        client, handoff, "report", status="done", output="Two hinges",
        memory_update="memory/doors.md\nDoors have two hinges.",
    )  # fmt: skip

    assert current(handoff).result == "Two hinges"
    assert "two hinges" in (Path(acme.root) / "memory/doors.md").read_text()


def test_failed_work_is_handed_off_again_to_another(
    client: Client, acme: Workspace
) -> None:
    handoff = sent(acme)
    mark_failed(handoff, by("builder"), reason="broken")

    assert act(client, handoff, "again", to="docs") == 303
    assert Handoff.objects.get(recipient="docs").context == handoff.context
    assert act(client, handoff, "again", base="1 sent, planner") == 409


def test_only_what_the_rules_allow_is_offered(client: Client, acme: Workspace) -> None:
    decision = sent(acme, "decision")
    assert choices(client, decision)[:2] == ["sign-off", "send-back"]
    assert "take" not in choices(client, decision)

    act(client, decision, "withdraw")
    assert "sign-off" not in choices(client, decision)


def test_a_report_on_what_has_ended_reads_how_it_ended(
    client: Client, acme: Workspace
) -> None:
    handoff = sent(acme)
    mark_failed(handoff, by("builder"), reason="broken")

    form = html(client, f"{BOARD}{handoff.code}/report/")

    assert f"{handoff.task_id} has ended already: failed" in form
    assert act(client, handoff, "report", status="failed", output="no") == 422
    assert current(handoff).moves == 2


def test_in_a_dialog_the_form_comes_back_with_what_is_wrong(
    client: Client, acme: Workspace
) -> None:
    handoff = sent(acme)
    form = {"base": handoff.standing, "next": BOARD}

    answer = client.post(
        f"{BOARD}{handoff.code}/block/", form, headers={"HX-Request": "true"}
    )

    assert answer.status_code == 422
    assert answer.headers["HX-Retarget"] == "#act-body"
    assert answer.headers["HX-Reselect"] == ".act"
    page = answer.content.decode()
    assert (
        "<html" not in page and "Enter a reason" in page and f'value="{BOARD}"' in page
    )


def test_an_act_goes_on_to_the_page_it_was_begun_on(
    client: Client, acme: Workspace
) -> None:
    handoff = sent(acme, "decision")
    form = {"base": handoff.standing, "next": "/w/acme/"}

    answer = client.post(f"{BOARD}{handoff.code}/sign-off/", form)

    assert answer.headers["Location"] == "/w/acme/"
    assert "Signed off" in html(client, "/w/acme/")


def test_a_way_back_that_would_break_a_rule_is_refused(
    client: Client, acme: Workspace
) -> None:
    first, second = sent(acme), sent(acme, minutes=1)
    take(first, by("builder", 2))
    block(first, by("builder", 3), reason="no key")
    take(second, by("builder", 4))
    key = Operation.objects.filter(verb="log_handoff").order_by("seq")[1].key

    client.post(f"/w/acme/undo/{key}/")

    assert current(first).state == "blocked"


def test_unknown_acts_and_handoffs_are_not_there(
    client: Client, acme: Workspace
) -> None:
    handoff = sent(acme)

    assert client.get(f"{BOARD}{handoff.code}/explode/").status_code == 404
    assert client.post(f"{BOARD}nobody/take/").status_code == 404
    assert client.get(f"{BOARD}nobody/change/").status_code == 404


def test_the_overview_offers_to_sign_off(client: Client, acme: Workspace) -> None:
    handoff = sent(acme, "decision")

    page = html(client, "/w/acme/")

    assert f'hx-get="{BOARD}{handoff.code}/sign-off/"' in page
    assert 'data-key="s"' in page and 'data-key="b"' in page


def again(client: Client, handoff: Handoff, **fields: str) -> tuple[str, str]:
    """Return what the file of the new handoff says of its due time and its topic."""
    assert act(client, handoff, "again", **fields) == 303
    newest = Handoff.objects.exclude(pk=handoff.pk).latest("first_seq")
    said = handoff_format.parse(newest_text(newest.workspace, newest.file.path))
    return said.fields.due, said.fields.topic


def test_it_is_handed_off_again_on_the_terms_that_still_hold(
    client: Client, acme: Workspace
) -> None:
    due = NOON.replace(year=2126)
    task = Task("", "", "builder", "write", "Mend", "Hinge")
    ahead = send(acme, task, by("planner"), Terms(due, "doors")).handoff
    past = send(acme, task, by("planner"), Terms(NOON.replace(year=2001))).handoff

    form = html(client, f"{BOARD}{ahead.code}/again/")

    assert 'value="2126-11-20T12:00"' in form
    assert 'value="doors"' in form
    assert again(client, ahead) == ("2126-11-20T12:00:00Z", "doors")
    assert again(client, past) == ("", "")


def test_it_is_handed_off_again_on_other_terms(client: Client, acme: Workspace) -> None:
    handoff = sent(acme)
    say(acme, {"memory/context-doors.md": "# doors\n\n## Current Status\nfine\n"})

    assert act(client, handoff, "again", due="", topic="dors") == 422
    assert act(client, handoff, "again", due="tomorrow", topic="") == 422
    assert again(client, handoff, due="2126-11-20T12:00", topic="doors") == (
        "2126-11-20T12:00:00Z",
        "doors",
    )


def test_who_signs_off_reads_what_is_asked(client: Client, acme: Workspace) -> None:
    say(acme, {"memory/rates.md": "# Rates\n"})
    task = Task(
        "", "", "you", "decision", "Poll every 5 s?", "Limits are in memory/rates.md.",
        "Yes or no", "Not over 60 calls a minute; see src/poll.py.",
    )  # fmt: skip
    handoff = send(acme, task, by("planner")).handoff

    page = html(client, f"{BOARD}{handoff.code}/sign-off/")

    shown = re.search(r'<div class="verbatim".*?</div>', page, re.DOTALL)
    assert shown and "<task>" not in page and "&lt;task" not in page
    for text in (task.input, task.expected_output, task.constraints):
        assert text in shown[0]
    assert '<a class="link mono break" href="/w/acme/files/memory/rates.md' in shown[0]
    assert '<span class="mono break">src/poll.py</span>' in shown[0]
    assert "· Waiting " in page


def test_a_form_on_its_own_page_leads_to_another(
    client: Client, acme: Workspace
) -> None:
    address = f"{BOARD}{sent(acme, 'decision').code}/sign-off/"
    dialog = client.get(
        address, headers={"HX-Request": "true", "HX-Target": "act-body"}
    )

    assert "hx-post" in dialog.content.decode()
    form = re.search(r'<form class="form bare".*?>', html(client, address))
    assert form and "hx-" not in form[0]
