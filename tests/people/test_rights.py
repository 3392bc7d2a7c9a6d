"""Every address, tool and endpoint by role: one table, asked whole."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, transaction
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import URLPattern, get_resolver, reverse
from pydantic import ValidationError
from pytest_django import Settings

from memoryhub.accounts.services.persons import TEAM_URLS
from memoryhub.journal.scopes import Scope
from memoryhub.people.rights import LEAST as RIGHT_LEAST
from memoryhub.people.rights import OF_THE_HUB
from memoryhub.people.services.tokens import make_token
from memoryhub.tools.base import Tool
from memoryhub.tools.registry import TOOLS
from memoryhub.workspaces.services.adding import add_workspace
from tests.factories import small
from tests.people.team import ROLES, browser_of, person
from tests.people.test_sign_in import patterns

DOCS = Path(__file__).parents[2] / "docs/team.md"
#: Least role for a page, and for its form where that is another one.
LEAST = {
    "signed in": """home api-docs help help-page hub-handoffs hub-news me sign-out
        channels mail-channel channel test-channel remove-channel
        invite revoke-invitation change-name end-session account_email
        account_change_password account_set_password mfa_index
        mfa_activate_totp mfa_deactivate_totp
        mfa_view_recovery_codes mfa_generate_recovery_codes
        mfa_download_recovery_codes mfa_list_webauthn mfa_add_webauthn
        mfa_edit_webauthn mfa_remove_webauthn
        socialaccount_connections""",
    "viewer": """workspace mark-seen unsee connect trends files-in-play agents agent
        timeline news days day-text day inbox handoffs handoff-figures handoff-text
        handoff files file health problems imports run export_download search palette
        handover handover-text handover-zip memories memory memory-text
        workspace-recall workspace-recall-text recall recall-text snapshot-text
        snapshots snapshot snapshot-reviewed decisions decisions-text directives
        decision-text decision
        open-items open-item sessions unassigned topics topic-text topic
        topic-tab save-view delete-view comments comment reviews review""",
    "editor": """restore merge undo repoint clear_breaker clear_problem decision-new
        turn-assign suggestions
        open-item-close open-item-reopen assign topic-status handover-write
        comment_new comment_reply comment_reopen comment_export
        review-revert-shown review-unrevert-shown
        review-accept review-accept-shown review-revert review-reopen review-edit
        import_again read_messages handoff-change handoff-act:take handoff-act:message
        handoff-act:report handoff-act:block handoff-act:put-back""",
    "coordinator": """decision-reject decision-sign-off handoff-new claim_end tokens
        revoke-token rotate-token handoff-act:sign-off handoff-act:send-back
        handoff-act:accept
        handoff-act:reopen handoff-act:revise handoff-act:override handoff-act:again
        handoff-act:fail handoff-act:withdraw""",
    "administrator": """settings file-role review-policies review-rule-new review-rule
        review-rule-remove workspace-audit workspace-audit-csv member forget
        forgetting forget_confirm forget_back
        workspace_delete""",
    "hub": """workspace_move import_new import_found import_start import_give_up
        import_new_in add_inside groups group people
        audit audit-csv person deactivate-person change-person""",
    "viewer, editor": "session",
    "viewer, coordinator": "export",
    "viewer, administrator": "members",
}
#: A job is of a workspace or of the hub; allauth's refuse whoever has no password.
APART = {
    "import", "account_reauthenticate", "mfa_reauthenticate",
    "mfa_reauthenticate_webauthn",
}  # fmt: skip
#: Parts of addresses; nothing in the workspace has these names.
PARTS: dict[str, Any] = {
    **dict.fromkeys(("act", "address", "code", "key", "name"), "x"),
    **dict.fromkeys(("number", "pk", "view"), 7),
    "batch": "00000000-0000-4000-8000-000000000000",
    "day": "2026-11-20",
    "kind": "decision",
    "mark": "abc",
    "path": "x.md",
    "tab": "decisions",
    "verdict": "accept",
}
ENOUGH = {"signed in": 0, **{role: n for n, role in enumerate(ROLES)}}


class Team:
    """Workspaces acme and other, and a browser for each role in acme."""

    def __init__(self, root: Path) -> None:
        self.acme = small(root)
        (root.parent / "elsewhere").mkdir()
        self.other = add_workspace(root.parent / "elsewhere", slug="other")
        self.people = {role: person(f"x-{role}", self.acme, role) for role in ROLES}
        self.browsers = {r: browser_of(who) for r, who in self.people.items()}


@pytest.fixture
def team(
    db: None, hub_data: Path, workspace_root: Path, settings: Settings
) -> Iterator[Team]:
    settings.MEMORYHUB_TEAM = True
    yield Team(workspace_root)


def addresses(slug: str) -> Iterator[tuple[str, str]]:
    """Yield the key in `LEAST` and the address of every page."""
    for pattern in patterns(get_resolver(TEAM_URLS)):
        name = str(pattern.name)
        if not getattr(pattern.callback, "login_required", True) or name in APART:
            continue
        acts = _acts() if name == "handoff-act" else [""]
        for act in acts:
            key = f"{name}:{act}" if act else name
            yield key, reverse(name, TEAM_URLS, kwargs=_values(pattern, slug, act))


def _values(pattern: URLPattern, slug: str, act: str) -> dict[str, Any]:
    """Return values for the parts of an address, by trying which it has."""
    names = set(get_resolver(TEAM_URLS).reverse_dict.getlist(pattern.name)[0][0][0][1])
    known = PARTS | {"slug": slug} | ({"act": act} if act else {})
    if pattern.name == "member":
        known |= {"kind": "person"}
    return {name: known[name] for name in names}


def _acts() -> list[str]:
    keys = " ".join(LEAST.values()).split()
    return [key.partition(":")[2] for key in keys if ":" in key]


def needed() -> dict[str, tuple[str, str]]:
    found: dict[str, tuple[str, str]] = {}
    for roles, keys in LEAST.items():
        shown, _, sent = roles.partition(", ")
        found |= dict.fromkeys(keys.split(), (shown, sent or shown))
    return found


def expected(role: str, least: str, *, in_workspace: bool) -> int:
    if ENOUGH[role] >= ENOUGH[least]:
        return 200
    return 404 if in_workspace and role == "none" else 403


def asked(client: Client, method: str, address: str) -> HttpResponse:
    """Ask, and undo whatever the answer changed."""
    with transaction.atomic():
        answer: HttpResponse = getattr(client, method)(address)
        if answer.streaming:
            b"".join(answer)
        transaction.set_rollback(True)
    return answer


def is_let_in(answer: HttpResponse) -> bool:
    """Whether a view answered: not the policy, which shows no frame with a 404."""
    if answer.status_code != 404:
        return answer.status_code != 403
    return "Workspace sidebar" in answer.content.decode()


def test_every_address_is_in_the_table(db: None) -> None:
    assert {key for key, _ in addresses("acme")} == set(needed())


@pytest.mark.parametrize("role", ROLES)
def test_a_role_opens_the_addresses_of_the_table_and_no_other(
    team: Team, role: str
) -> None:
    table, wrong = needed(), []
    for key, address in addresses("acme"):
        for method, least in zip(("get", "post"), table[key], strict=True):
            want = expected(role, least, in_workspace="/w/acme/" in address)
            if want == 200 and ENOUGH[role] > ENOUGH[least] + 1:
                continue
            # A browser of its own, which one of the addresses signs out.
            answer = asked(browser_of(team.people[role]), method, address)
            got = 200 if is_let_in(answer) else answer.status_code
            if want == 200 and got == 404 and "/w/" not in address:
                got = 200  # Nothing of the hub has the number 7.
            if got != want:
                wrong.append((key, method, want, answer.status_code))
    assert not wrong


def test_a_workspace_of_others_is_answered_like_one_that_does_not_exist(
    team: Team,
) -> None:
    client = team.browsers["administrator"]
    theirs, missing = list(addresses("other")), list(addresses("nones"))
    for (key, address), (_, nowhere) in zip(theirs, missing, strict=True):
        if "/w/" not in address:
            continue
        for method in ("get", "post"):
            seen = [_measured(client, method, one) for one in (address, nowhere)]
            assert seen[0] == seen[1], key
            assert seen[0][0] == 404, key


def _measured(client: Client, method: str, address: str) -> tuple[int, int, int]:
    """Return status, size and number of queries of an answer."""
    with CaptureQueriesContext(connection) as asked_for:
        answer: HttpResponse = getattr(client, method)(address)
    return answer.status_code, len(answer.content), len(asked_for)


def test_an_address_without_a_declared_right_is_refused(
    team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memoryhub.web.rights.RIGHTS", {})

    assert team.browsers["hub"].get("/w/acme/").status_code == 403


#: Scopes that tokens of a maker with a role keep.
SCOPES = {
    "none": "",
    "viewer": "read",
    "editor": "read memory handoff",
    "coordinator": "read memory handoff instructions",
    "administrator": "read memory handoff instructions admin",
    "hub": "read memory handoff instructions admin",
}


def token(team: Team, role: str) -> str:
    """Return a token of all scopes, made by a person of a role."""
    new = make_token(team.acme, f"agent-{role}", list(Scope))
    new.row.maker = team.people[role]
    new.row.save()
    return new.secret


def program(team: Team, role: str) -> Client:
    """Return a program with a `token`."""
    headers = {"host": "localhost", "authorization": f"Bearer {token(team, role)}"}
    return Client(headers=headers)


def needed_scope(tool: Tool) -> str:
    """Return the scope of an empty request: of some tools that only reads."""
    try:
        return tool.scope_for(tool.request.model_validate({})).value
    except ValidationError:
        return tool.scope.value


@pytest.mark.parametrize("role", ROLES)
def test_a_token_reaches_as_far_as_its_makers_role(team: Team, role: str) -> None:
    client, kept = program(team, role), SCOPES[role].split()
    for tool in TOOLS.values():
        address = f"/api/v1/workspaces/acme/tools/{tool.name}"
        answer = client.post(address, "{}", content_type="application/json")
        code = answer.json().get("error", {}).get("code", "")
        if role == "none":
            assert (answer.status_code, code) == (401, "token-invalid"), tool.name
        elif not {needed_scope(tool), "admin"} & {*kept}:
            # A request without its fields is refused as such, or for its scope.
            assert answer.status_code in (403, 422), tool.name
        else:
            assert code != "scope-missing", tool.name


def test_the_manual_has_the_table_of_rights() -> None:
    found = re.findall(r"(?m)^\| `([a-z]+)` \| ([a-z ]+) \| ", DOCS.read_text())

    table = {right.value: role.word for right, role in RIGHT_LEAST.items()}
    table |= {right.value: "administrator of the hub" for right in OF_THE_HUB}
    assert dict(found) == table | {"own": "everybody"}
