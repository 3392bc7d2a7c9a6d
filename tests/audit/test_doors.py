"""No change is without an entry, whatever way it came in."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import DatabaseError
from django.test import Client
from django.urls import URLResolver, get_resolver
from pytest_django import DjangoDbBlocker, Settings

from memoryhub.audit import failures
from memoryhub.audit.chain import verify
from memoryhub.audit.models import AuditEntry
from memoryhub.cli import COMMANDS
from memoryhub.journal.models import Operation, Workspace
from memoryhub.journal.scopes import Scope
from memoryhub.people.services.sign_in import SOON, make_link
from memoryhub.people.services.tokens import make_token
from memoryhub.sync.edit.editing import apply_edit
from memoryhub.sync.edit.edits import Edit
from memoryhub.tools.calling import CallerOptions, request_of
from memoryhub.tools.registry import TOOLS
from memoryhub.web.settings import SettingsForm
from tests.factories import small
from tests.signing import own_program, signed_in
from tests.tools.doors import DOORS
from tests.tools.examples import EXAMPLES
from tests.tools.stage import Stage

pytestmark = pytest.mark.django_db(transaction=True)

#: For the variables of addresses that are no names.
_FILLED = {"slug": "acme", "path": "memory/context-api.md"}
#: By command, a line of it that writes.
LINES = {
    "add": ["{tmp}/new"],
    "move": ["acme", "{tmp}/new"],
    "sync": ["acme"],
    "checkpoint": ["auth", "--status=Begun."],
    "save": ["Deliver", "--phase=testing", "--next-steps=Write the test"],
    "handoff": ["send", "builder", "--type=read_only", "--context=x", "--input=y"],
    "token": ["make", "builder"],
    "export": ["acme", "--to={tmp}/out"],
    "rebuild": ["acme"],
    "backup": ["{tmp}/saved.tar.gz"],
    "forget": ["acme", "--text=Poll every minute", "--yes"],
    "compact-history": ["acme"],
}
#: Commands that only look, call a tool, or have a test of their own.
OTHERS = {
    "audit", "channel", "compact", "discover", "doctor", "get", "guard", "hook",
    "install", "mcp", "open", "open-items", "recall", "restore", "search", "serve",
    "status", "tool", "translate", "uninstall", "watch", "person", "members",
    "reviews",
}  # fmt: skip


@pytest.fixture
def workspace(hub_data: Path, db: None, workspace_root: Path) -> Workspace:
    made = small(workspace_root)
    AuditEntry.objects.all()._raw_delete("default")
    return made


def addresses(within: URLResolver, begin: str = "") -> Iterator[str]:
    """Yield an address of each pattern of the pages, its variables filled in."""
    for one in within.url_patterns:
        place = begin + str(one.pattern)
        if isinstance(one, URLResolver):
            if one.namespace is None:
                yield from addresses(one, place)
            continue
        for name in one.pattern.converters:
            kind = place.rpartition(f":{name}>")[0].rpartition("<")[2]
            filled = _FILLED.get(name, "1" if kind == "int" else "x")
            place = place.replace(f"<{kind}:{name}>", filled)
        yield f"/{place}"


def last_entry() -> AuditEntry:
    found = AuditEntry.objects.first()
    assert found is not None
    return found


def test_every_address_that_takes_a_change_leaves_an_entry(
    workspace: Workspace,
) -> None:
    client, taken = signed_in(raise_request_exception=False), 0
    for address in addresses(get_resolver()):
        before = AuditEntry.objects.count()
        status = client.post(address, {"role": "memory"}).status_code
        if status == 405:
            continue
        if status == 200:
            new = AuditEntry.objects.order_by("id")[before:]
            assert not [one for one in new if one.outcome == "done"], address
            continue
        assert AuditEntry.objects.count() > before, address
        assert last_entry().door == "page" and last_entry().address == "127.0.0.1"
        taken += 1
        client = signed_in(raise_request_exception=False)

    assert taken > 40 and verify().fault is None


@pytest.mark.parametrize(
    ("address", "fields"),
    [
        ("topics/api/status/", {"text": "Pol", "base": "", "count": "1"}),
        ("handoffs/new/", {"preview": "1", "context": "Look"}),
        ("forget/", {"kind": "text", "text": "Poll every minute", "minutes": "10"}),
        ("move/", {"path": "/tmp"}),
        ("delete/", {"name": "no"}),
        ("export/", {}),
        ("review/policies/", {"policies": "no policy"}),
        ("files-in-play/1/end/", {}),
        ("role/memory/context-api.md", {"role": ""}),
    ],
)
def test_a_preview_or_a_refused_form_is_not_done(
    workspace: Workspace, address: str, fields: dict[str, str]
) -> None:
    browser = signed_in(headers={"hx-request": "true", "host": "localhost"})
    AuditEntry.objects.all()._raw_delete("default")

    answer = browser.post(f"/w/acme/{address}", fields)

    assert answer.status_code in (200, 303, 422)
    assert not AuditEntry.objects.filter(outcome="done").exists()


def test_settings_that_are_saved_as_they_were_are_not_done(
    workspace: Workspace,
) -> None:
    form = SettingsForm(instance=workspace)
    values = {name: form[name].value() for name in form.fields}
    fields = {name: value for name, value in values.items() if value}
    browser = signed_in()
    AuditEntry.objects.all()._raw_delete("default")

    def saved(**changed: str) -> list[str]:
        assert browser.post("/w/acme/settings/", fields | changed).status_code == 303
        return [*AuditEntry.objects.values_list("action", flat=True)]

    assert saved() == []
    assert saved(name="Another") == ["settings.changed"]


@pytest.mark.parametrize(
    "line",
    [
        ["move", "acme", "{tmp}", "--dry-run"],
        ["forget", "acme", "--text=Poll every minute", "--dry-run"],
    ],
)
def test_a_dry_run_leaves_no_entry(
    workspace: Workspace, tmp_path: Path, line: list[str]
) -> None:
    line = [part.format(tmp=tmp_path) for part in line]

    call_command(*line, stdout=io.StringIO())

    assert not AuditEntry.objects.exists()


def writes(name: str) -> bool:
    """Return whether the example of a tool changes something."""
    request = request_of(TOOLS[name], EXAMPLES[name][-1][1])
    return TOOLS[name].scope_for(request) is not Scope.READ


@pytest.fixture(scope="module")
def stage(
    django_db_setup: None,
    django_db_blocker: DjangoDbBlocker,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Stage]:
    with django_db_blocker.unblock():
        made = Stage(tmp_path_factory.mktemp("stage"))
        yield made
        made.close()


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("name", [name for name in TOOLS if writes(name)])
def test_every_tool_that_writes_leaves_an_entry(
    stage: Stage, name: str, door: str
) -> None:
    stage.put_back()
    said = CallerOptions(workspace="acme", agent="builder")
    *before, (_, fields) = EXAMPLES[name]
    for number, (called, given) in enumerate(before):
        DOORS[door](said.model_copy(update={"key": f"{number}"}), called, given)
    AuditEntry.objects.all()._raw_delete("default")

    said = said.model_copy(update={"key": "k"})
    assert not DOORS[door](said, name, fields).refused
    rows = list(AuditEntry.objects.all())
    assert rows and {row.actor for row in rows} == {"builder"}
    kinds = {"cli": "command", "rest": "rest", "mcp": "mcp"}
    assert {row.door for row in rows} == {kinds[door]}
    assert {row.outcome for row in rows} <= {"done", "staged"}


@pytest.mark.parametrize("name", LINES)
def test_every_command_that_writes_leaves_an_entry(
    workspace: Workspace, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "new").mkdir()
    monkeypatch.chdir(workspace.root)
    line = [part.format(tmp=tmp_path) for part in LINES[name]]

    with suppress(SystemExit):
        call_command(name.replace("-", "_"), *line, stdout=io.StringIO())

    entry = last_entry()
    assert (entry.door, entry.outcome) == ("command", "done")
    assert entry.actor and entry.command.startswith(name)


def test_no_command_was_overlooked() -> None:
    assert set(COMMANDS) <= LINES.keys() | OTHERS


def test_a_command_that_looks_leaves_no_entry(workspace: Workspace) -> None:
    for line in (["status"], ["token", "list"], ["search", "queue"], ["recall", "api"]):
        call_command(*line, stdout=io.StringIO())

    assert not AuditEntry.objects.exists()


def test_reading_through_rest_leaves_no_entry(workspace: Workspace) -> None:
    client = own_program()
    url = "/api/v1/workspaces/acme/tools/memory_search"

    answer = client.post(url, {"query": "queue"}, "application/json")

    assert answer.status_code == 200 and not AuditEntry.objects.exists()


def test_a_token_its_use_and_a_wrong_one_are_seen(workspace: Workspace) -> None:
    new = make_token(workspace, "builder", [Scope.READ])
    url = "/api/v1/workspaces/acme/tools/snapshot_save"
    client = Client(headers={"host": "localhost"})

    for secret, status in ((new.secret, 403), ("mhub_wrong", 401)):
        bearer = {"authorization": f"Bearer {secret}"}
        fields = {"goal": "x", "phase": "testing", "next_steps": ["y"]}
        answer = client.post(url, fields, "application/json", headers=bearer)
        assert answer.status_code == status

    made, refused, wrong = AuditEntry.objects.order_by("id")
    assert (made.action, made.subject) == ("token.made", f"{new.row.prefix} builder")
    assert (refused.token, refused.actor) == (new.row.prefix, "builder")
    assert (refused.outcome, refused.action) == ("refused", "tool.snapshot_save")
    assert (wrong.action, wrong.detail, wrong.actor) == ("sign-in", "token-invalid", "")
    everything = repr(list(AuditEntry.objects.values()))
    assert new.secret not in everything and "mhub_wrong" not in everything


def test_sign_in_failed_sign_in_and_sign_out(workspace: Workspace) -> None:
    browser = Client(headers={"host": "localhost", "accept": "text/html"})

    browser.get(f"/open/?token={make_link(SOON)}")
    Client().get("/open/?token=wrong")
    browser.post("/me/sign-out/", {"everywhere": "1"})

    found = AuditEntry.objects.order_by("id").values_list("action", "outcome", "actor")
    assert list(found) == [
        ("sign-in", "done", "operator"),
        ("sign-in", "refused", ""),
        ("sign-out.everywhere", "done", "operator"),
        ("sign-out", "done", "operator"),
    ]


def test_strangers_cannot_fill_the_log(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(failures, "_MINUTE_NOW", failures._Minute())
    for _ in range(failures.MOST + 25):
        Client().get("/open/?token=wrong")

    assert AuditEntry.objects.count() == failures.MOST
    monkeypatch.setattr("memoryhub.audit.failures.time.monotonic", lambda: 1e9)
    Client().get("/open/?token=wrong")
    assert last_entry().detail == "link-invalid (+25)"


def test_a_page_that_shows_secrets_is_recorded_before_it_is_made(
    workspace: Workspace, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = "/w/acme/files/memory/context-api.md?show=secrets"
    AuditEntry.objects.all()._raw_delete("default")
    client.get(page.partition("?")[0])
    assert not AuditEntry.objects.exists()

    client.get(page)

    entry = AuditEntry.objects.get()
    assert (entry.action, entry.workspace) == ("secrets.shown", "acme")
    assert entry.subject == "files/memory/context-api.md"
    broken = DatabaseError("full")
    monkeypatch.setattr("memoryhub.audit.recording.append", raising(broken))
    with pytest.raises(DatabaseError):
        client.get(page)


def test_an_export_is_recorded(workspace: Workspace, client: Client) -> None:
    client.get("/w/acme/export/download/").close()

    assert last_entry().action == "export.files"


def test_a_text_that_is_not_masked_is_recorded(
    workspace: Workspace, client: Client
) -> None:
    pages = ("files/memory/context-api.md?view=text", "decisions.md", "recall.md")
    found = []
    for page in pages:
        client.get(f"/w/acme/{page}")
        entry = last_entry()
        found.append((entry.action, entry.workspace, entry.subject))

    assert found == [("export.text", "acme", page.partition("?")[0]) for page in pages]


def test_a_write_without_its_entry_does_not_happen(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = "memory/context-api.md"
    change = Edit(path, "set_status", {"text": "Paused."}, "ada", key="once")
    with monkeypatch.context() as broken, pytest.raises(DatabaseError):
        fails = raising(DatabaseError("full"))
        broken.setattr("memoryhub.audit.recording.append", fails)
        apply_edit(workspace, change)
    assert not Operation.objects.filter(state="applied").exists()

    apply_edit(workspace, change)

    assert Operation.objects.get().state == "applied"
    entry = AuditEntry.objects.get()
    assert (entry.action, entry.subject) == ("write.set_status", path)
    assert "Paused" not in repr(AuditEntry.objects.values().get())


def test_behind_a_trusted_proxy_the_clients_own_address_counts(
    workspace: Workspace, settings: Settings
) -> None:
    settings.MEMORYHUB_TRUSTED_PROXIES = ["127.0.0.0/8", "10.0.0.0/24"]
    forwarded = "6.6.6.6, 203.0.113.9, 10.0.0.2"

    signed_in().post("/w/acme/seen/", headers={"x-forwarded-for": forwarded})
    settings.MEMORYHUB_TRUSTED_PROXIES = []
    signed_in().post("/w/acme/seen/", headers={"x-forwarded-for": forwarded})

    found = AuditEntry.objects.exclude(action="sign-in").order_by("id")
    assert [entry.address for entry in found] == ["203.0.113.9", "127.0.0.1"]


def raising(error: Exception) -> Callable[..., None]:
    def fail(*_: object) -> None:
        raise error

    return fail
