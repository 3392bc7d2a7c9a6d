"""Several people in one workspace: names, races, and what each hears and reaches."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Barrier, Thread

import pytest
from django.db import connection, connections
from django.test import Client
from pytest_django import Settings

from memoryhub.accounts.services.persons import set_active, set_hub_administrator
from memoryhub.dialects.handoff import Task
from memoryhub.errors.base import ToolError
from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.services.sending import send
from memoryhub.journal.models import Workspace
from memoryhub.journal.ownership import is_person
from memoryhub.people.access import access_by_token
from memoryhub.people.models import AccessToken, User
from memoryhub.people.rights import Role
from memoryhub.people.roles import grant, withdraw
from memoryhub.people.services.names import checked_agent
from memoryhub.runtime.live import PERSON, LiveStream
from memoryhub.runtime.serving.admission import stream_refusal
from memoryhub.web.handoffs.acts import AGAIN
from memoryhub.workspaces.services.adding import add_workspace
from tests.handoffs.sides import by
from tests.people.team import browser_of, person
from tests.test_live import Page, until

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def acme(
    hub_data: Path, db: None, workspace_root: Path, settings: Settings
) -> Iterator[Workspace]:
    settings.MEMORYHUB_TEAM = True
    yield add_workspace(workspace_root, slug="acme", name="Acme")


def decision(workspace: Workspace) -> Handoff:
    task = Task("", "", "builder", "decision", "Use events", "Why polling is slow")
    return send(workspace, task, by("planner")).handoff


def sign(who: Client, handoff: Handoff) -> tuple[int, str]:
    address = f"/w/acme/handoffs/{handoff.code}/sign-off/"
    answer = who.post(address, {"base": handoff.standing})
    return answer.status_code, answer.content.decode()


def log_of(workspace: Workspace, handoff: Handoff) -> str:
    return (Path(workspace.root) / handoff.file.path).read_text()


def test_of_two_who_sign_off_at_once_one_wins_and_the_other_is_told(
    acme: Workspace,
) -> None:
    names, handoff = ("zofia", "yusuf"), decision(acme)
    browsers = {n: browser_of(person(n, acme, "coordinator")) for n in names}
    start, answers = Barrier(2), {}

    def signs(name: str) -> None:
        start.wait()
        answers[name] = sign(browsers[name], handoff)
        connections.close_all()

    threads = [Thread(target=signs, args=(name,)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    winner, loser = sorted(names, key=lambda name: answers[name][0])
    assert (answers[winner][0], answers[loser][0]) == (303, 409)
    assert f"signed off, {winner}" in answers[loser][1]
    log = log_of(acme, handoff)
    assert log.count("signed off") == 1 and f"{winner}: signed off" in log


def test_two_administrators_who_demote_each_other_at_once_leave_one(
    acme: Workspace,
) -> None:
    kim, lou = person("kim", role="hub"), person("lou", role="hub")
    start = Barrier(2)

    def demotes(whom: User, by: str) -> None:
        start.wait()
        with suppress(ToolError):
            set_hub_administrator(whom, wanted=False, by=by)
        connections.close_all()

    for _ in range(10):
        threads = [Thread(target=demotes, args=p) for p in ((kim, "lou"), (lou, "kim"))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert User.objects.filter(hub_administrator=True).count() == 1
        User.objects.filter(username__in=["kim", "lou"]).update(hub_administrator=True)


def test_files_and_pages_name_the_person_who_acted(acme: Workspace) -> None:
    zofia, handoff = browser_of(person("zofia", acme, "coordinator")), decision(acme)
    assert sign(zofia, handoff)[0] == 303

    assert "zofia: signed off" in log_of(acme, handoff)
    viewer = browser_of(person("yusuf", acme, "viewer"))
    pages = ("timeline/", f"handoffs/{handoff.code}/", f"files/{handoff.file.path}")
    for page in pages:
        assert "zofia" in viewer.get(f"/w/acme/{page}").content.decode(), page
    assert "/sign-off/" not in viewer.get("/w/acme/").content.decode()


def test_a_page_shows_whose_it_is(acme: Workspace) -> None:
    page = browser_of(person("zofia", acme, "editor")).get("/w/acme/")

    html = page.content.decode()
    assert "zofia" in html and "Editor" in html and "Operator" not in html


def test_an_agent_cannot_pass_for_a_person_of_the_team(acme: Workspace) -> None:
    person("zofia", acme, "editor")

    for name in ("zofia", "Zofia", "z0fia", "ｚｏｆｉａ"):
        with pytest.raises(ToolError, match="agent-invalid"):
            checked_agent(name, acme)
    assert is_person("Zofia") and not is_person("builder")


def test_another_persons_change_shows_to_who_may_see_its_workspace(
    acme: Workspace, tmp_path: Path
) -> None:
    yusuf, zofia = person("yusuf", acme, "viewer"), person("zofia", acme, "coordinator")
    (tmp_path / "other").mkdir()
    other = add_workspace(tmp_path / "other", slug="other")
    stream = LiveStream(Path(str(connection.settings_dict["NAME"])), period=0.1)
    page, handoff, browser = Page(stream), decision(acme), browser_of(zofia)
    page.scope[PERSON] = yusuf.pk

    async def script() -> None:
        task = page.opens()
        await page.hears(1)
        await asyncio.to_thread(decision, other)
        await asyncio.to_thread(sign, browser, handoff)
        events = await page.hears(2)
        await asyncio.to_thread(withdraw, acme, yusuf)
        await asyncio.to_thread(decision, acme)
        await asyncio.sleep(0.3)
        assert {data["workspace"] for _, data in events[1:]} == {"acme"}
        assert page.events == events or all(
            data["seq"] <= events[-1][1]["seq"] + 1 for _, data in page.events[1:]
        )
        page.leaves()
        await task

    asyncio.run(script())
    assert other.slug not in str(page.events)


@pytest.mark.parametrize("way", ["demoted", "deactivated"])
def test_the_stream_of_an_administrator_ends_with_the_rights(
    acme: Workspace, way: str
) -> None:
    boss, chief = person("boss", role="hub"), person("chief", role="hub")
    place = Path(str(connection.settings_dict["NAME"]))
    stream = LiveStream(place, period=0.05, heartbeat=0.3)
    cookie = browser_of(boss).cookies.output(header="", attrs=[]).strip()
    page = Page(stream, host="testserver", cookie=cookie)
    page.scope["client"] = ("127.0.0.1", 50_000)

    def newest_seq() -> int:
        return Workspace.objects.get(pk=acme.pk).last_seq

    def takes_away() -> None:
        if way == "demoted":
            set_hub_administrator(boss, wanted=False, by="chief")
        else:
            set_active(boss, active=False, by=chief.username)
        decision(acme)
        connections.close_all()

    async def script() -> None:
        assert await stream_refusal(page.scope) == 0
        task = page.opens()
        await page.hears(1)
        await asyncio.to_thread(decision, acme)
        newest = await asyncio.to_thread(newest_seq)
        await until(lambda: page.events[-1][1].get("seq") == newest)
        heard = len(page.events)
        await asyncio.to_thread(takes_away)
        await until(lambda: task.done() or way == "demoted")
        await asyncio.sleep(0.5)
        assert len(page.events) == heard
        assert task.done() == (way == "deactivated")
        page.leaves()
        await task

    asyncio.run(script())


def test_a_feed_ends_with_the_role(acme: Workspace) -> None:
    zofia = person("zofia", acme, "viewer")
    feed = browser_of(zofia).get("/w/acme/timeline/").context["feed_url"]
    assert Client().get(feed).status_code == 200
    key = feed.partition("key=")[2].partition("-")[2]
    assert Client().get(f"/w/acme/timeline.atom?key=999-{key}").status_code == 302

    withdraw(acme, zofia)

    assert Client().get(feed).status_code == 404


def test_signing_out_of_every_browser_ends_the_keys_of_that_persons_feeds(
    acme: Workspace,
) -> None:
    names = ("zofia", "yusuf")
    browsers = {name: browser_of(person(name, acme, "viewer")) for name in names}
    feeds = {n: b.get("/w/acme/").context["feed_url"] for n, b in browsers.items()}
    browsers["zofia"].post("/accounts/sessions/end/", {})
    assert Client().get(feeds["zofia"]).status_code == 200

    browsers["zofia"].post("/me/sign-out/", {"everywhere": "1"})

    assert [Client().get(feeds[name]).status_code for name in names] == [302, 200]
    again = browser_of(User.objects.get(username="zofia"))
    fresh = again.get("/w/acme/").context["feed_url"]
    assert Client().get(fresh).status_code == 200


def test_a_token_ends_with_its_makers_role(acme: Workspace) -> None:
    zofia, boss = person("zofia", acme, "coordinator"), person("boss", role="hub")
    page = browser_of(zofia).post(
        "/w/acme/tokens/",
        {"agent": "builder", "scopes": ["read", "handoff"], "days": "30"},
    )
    assert 'value="admin"' not in page.content.decode()
    secret = page.context["new"].secret
    agent = Client(headers={"host": "x", "authorization": f"Bearer {secret}"})
    files = "/api/v1/workspaces/acme/files"

    assert AccessToken.objects.get().maker == zofia
    assert agent.get(files, headers={"host": "localhost"}).status_code == 200
    withdraw(acme, zofia)
    assert agent.get(files, headers={"host": "localhost"}).status_code == 401
    tokens = browser_of(boss).get("/w/acme/tokens/").content.decode()
    assert "Orphaned" in tokens and "zofia, who made it, has no role here" in tokens
    grant(acme, zofia, Role.VIEWER)
    assert agent.get(files, headers={"host": "localhost"}).status_code == 200


@pytest.mark.parametrize("way", ["deactivated", "demoted"])
def test_a_wait_of_a_token_ends_with_its_maker(acme: Workspace, way: str) -> None:
    kim, _ = person("kim", role="hub"), person("lou", role="hub")
    page = browser_of(kim).post(
        "/w/acme/tokens/", {"agent": "builder", "scopes": ["read"], "days": "30"}
    )
    waiting = access_by_token(page.context["new"].secret)

    if way == "deactivated":
        set_active(User.objects.get(pk=kim.pk), active=False, by="lou")
    else:
        set_hub_administrator(User.objects.get(pk=kim.pk), wanted=False, by="lou")

    with pytest.raises(ToolError, match="token-invalid"):
        waiting.check_token()


def test_work_goes_only_where_the_sender_may_send(
    acme: Workspace, tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    other = add_workspace(tmp_path / "other", slug="other")
    zofia = person("zofia", acme, "coordinator")
    form = {"type": "read_only", "context": "Grind", "input": "Wheat"}

    def sent_to(recipient: str) -> tuple[int, str]:
        answer = browser_of(zofia).post(
            "/w/acme/handoffs/new/", form | {"recipient": recipient}
        )
        return answer.status_code, answer.content.decode()

    status, page = sent_to("other/miller")
    assert status == 422 and len(page) == len(sent_to("nones/miller")[1])
    assert sent_to("acme/other/miller")[0] == 422
    assert not Handoff.objects.exists()
    grant(other, zofia, Role.COORDINATOR)
    assert sent_to("other/miller")[0] == 303


def test_work_is_not_handed_off_again_to_where_the_sender_may_not_send(
    acme: Workspace, tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    add_workspace(tmp_path / "other", slug="other")
    task = Task("", "", "other/miller", "read_only", "Grind", "Wheat")
    handoff = send(acme, task, by("planner", coordinates=True)).handoff
    zofia = person("zofia", acme, "coordinator")

    answer = browser_of(zofia).post(
        f"/w/acme/handoffs/{handoff.code}/{AGAIN}/",
        {"base": handoff.standing, "reason": "Once more", "to": ""},
    )

    assert answer.status_code == 422
    assert Handoff.objects.count() == 1


def test_an_editor_undoes_only_own_edits(acme: Workspace) -> None:
    (Path(acme.root) / "memory").mkdir(exist_ok=True)
    zofia, yusuf = person("zofia", acme, "coordinator"), person("yusuf", acme, "editor")
    handoff = decision(acme)
    answer = browser_of(zofia).post(
        f"/w/acme/handoffs/{handoff.code}/sign-off/", {"base": handoff.standing}
    )
    assert answer.status_code == 303
    key = handoff.workspace.operations.latest("pk").key

    assert browser_of(yusuf).post(f"/w/acme/undo/{key}/").status_code == 403
    assert browser_of(zofia).post(f"/w/acme/undo/{key}/").status_code == 303


def test_work_and_messages_for_a_person_of_the_team_are_peoples(
    acme: Workspace,
) -> None:
    zofia = browser_of(person("zofia", acme, "editor"))
    task = Task("", "", "zofia", "read_only", "Look at the plan", "plan.md")
    handoff = send(acme, task, by("planner")).handoff

    assert handoff.acts == "person"
    assert "Look at the plan" in zofia.get("/w/acme/").content.decode()
    yusuf = browser_of(person("yusuf", acme, "editor"))
    address = f"/w/acme/handoffs/{handoff.code}/message/"
    form = {"base": handoff.standing, "reason": "@zofia by Friday?"}
    assert yusuf.post(address, form).status_code == 303
    log = log_of(acme, handoff)
    assert "yusuf: " in log and "@zofia by Friday?" in log


def test_the_stream_of_a_signed_in_person_is_narrowed_to_their_workspaces(
    acme: Workspace, settings: Settings
) -> None:
    zofia, boss = person("zofia", acme, "viewer"), person("boss", role="hub")
    limits = []
    for who in (zofia, boss):
        cookie = browser_of(who).cookies[settings.SESSION_COOKIE_NAME].value
        page = Page(LiveStream(Path("none")))
        sent = f"{settings.SESSION_COOKIE_NAME}={cookie}".encode()
        page.scope["headers"].append((b"cookie", sent))
        page.scope["client"] = ("192.0.2.7", 5)
        assert asyncio.run(stream_refusal(page.scope)) == 0
        limits.append(page.scope.get(PERSON))

    assert limits == [zofia.pk, boss.pk]
