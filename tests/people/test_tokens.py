"""Tokens of agents: what they let in, for how long, and what is kept of them."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from memoryhub.errors.base import ToolError
from memoryhub.journal.models import Workspace
from memoryhub.journal.scopes import Scope
from memoryhub.people.access import access_by_token
from memoryhub.people.models import AccessToken
from memoryhub.people.policy import NoSuchWorkspace
from memoryhub.people.services.tokens import (
    FOR_EVER,
    NewToken,
    ending_soon,
    extend_token,
    make_token,
    revoke_token,
    rotate_token,
    token_with,
    tokens_of,
)
from tests.factories import make_workspace_row


@pytest.fixture
def workspace(db: None) -> Workspace:
    return make_workspace_row("acme")


@pytest.fixture
def token(workspace: Workspace) -> NewToken:
    return make_token(workspace, "builder", [Scope.READ], days=30)


def test_of_a_secret_only_its_beginning_and_a_hash_are_kept(token: NewToken) -> None:
    kept = str(AccessToken.objects.values().get())

    assert token.secret not in kept
    assert token.secret.startswith(token.row.prefix) and token.row.prefix in kept
    assert len(token.secret) > len(token.row.prefix) + 30


def test_a_token_names_its_agent_in_everything_it_does(token: NewToken) -> None:
    caller = access_by_token(token.secret).caller("acme", Scope.READ, key="k")

    assert (caller.actor, caller.agent, caller.key) == ("builder", "builder", "k")


def test_it_allows_only_its_scopes(token: NewToken) -> None:
    with pytest.raises(ToolError, match="scope-missing"):
        access_by_token(token.secret).caller("acme", Scope.WRITE)


def test_admin_allows_all(workspace: Workspace) -> None:
    token = make_token(workspace, "boss", [Scope.ADMIN])

    assert all(access_by_token(token.secret).allows(scope) for scope in Scope)


def test_it_is_of_one_workspace(token: NewToken) -> None:
    make_workspace_row("other")

    with pytest.raises(NoSuchWorkspace) as caught:
        access_by_token(token.secret).caller("other", Scope.READ)
    assert caught.value.known == ("acme",)


@pytest.mark.parametrize("damaged", ["", "mhub_", "x", "\x00\ud800", "mhub_" * 9_000])
def test_what_is_no_secret_is_invalid(token: NewToken, damaged: str) -> None:
    for secret in (damaged, token.row.prefix + damaged):
        with pytest.raises(ToolError, match="token-invalid"):
            access_by_token(secret)


def test_it_ends_after_ninety_days_unless_somebody_says_otherwise(
    workspace: Workspace,
) -> None:
    usual = make_token(workspace, "a", [Scope.READ]).row
    for_ever = make_token(workspace, "b", [Scope.READ], days=FOR_EVER).row

    assert usual.expires_at == usual.made_at + timedelta(days=90)
    assert for_ever.expires_at is None


def test_one_made_for_write_has_memory_and_no_more(workspace: Workspace) -> None:
    token = make_token(workspace, "a", [Scope.READ])
    AccessToken.objects.update(scopes=["read", "write"])

    access = access_by_token(token.secret)
    assert access.scopes == {Scope.READ, Scope.MEMORY}
    assert not access.allows(Scope.INSTRUCTIONS)


def test_it_ends_with_its_last_day(token: NewToken) -> None:
    later = timezone.now() + timedelta(days=31)

    assert token_with(token.secret, now=later) == []


def test_a_revoked_one_is_invalid_at_once(token: NewToken) -> None:
    workspace = token.row.workspace

    assert revoke_token(workspace, token.row.prefix) == token.row
    assert token_with(token.secret) == []
    assert not tokens_of(workspace)
    assert revoke_token(workspace, token.row.prefix) is None


def test_its_use_is_noted_at_most_once_a_minute(token: NewToken) -> None:
    first = timezone.now()
    for seconds, noted in ((0, 0), (59, 0), (60, 60)):
        token_with(token.secret, now=first + timedelta(seconds=seconds))
        kept = AccessToken.objects.get().last_used_at
        assert kept == first + timedelta(seconds=noted)


@pytest.mark.parametrize(
    "name",
    ["", " ", "operator", "Operator", "a/b", "a\nb", "a\x00", "\ud800", "a" * 81],
)
def test_a_name_that_is_no_agents_is_refused(workspace: Workspace, name: str) -> None:
    with pytest.raises(ToolError, match="agent-invalid"):
        make_token(workspace, name, [Scope.READ])
    assert not AccessToken.objects.exists()


def test_one_for_two_workspaces_is_revoked_in_each_by_itself(token: NewToken) -> None:
    other = make_workspace_row("other")
    extend_token(token.row, other)

    access = access_by_token(token.secret)
    assert [one.slug for one in access.workspaces()] == ["acme", "other"]
    assert access.caller("other", Scope.READ).agent == "builder"
    revoke_token(token.row.workspace, token.row.prefix)
    assert [row.workspace for row in token_with(token.secret)] == [other]


def test_a_rotated_one_is_valid_beside_the_new_one_for_the_overlap(
    token: NewToken,
) -> None:
    extend_token(token.row, make_workspace_row("other"))
    new = rotate_token(token.row, timedelta(hours=2))

    later = timezone.now() + timedelta(hours=3)
    assert len(token_with(token.secret)) == len(token_with(new.secret)) == 2
    assert token_with(token.secret, now=later) == []
    assert len(token_with(new.secret, now=later)) == 2
    assert new.row.expires_at == new.row.made_at + timedelta(days=30)


def test_health_gives_notice_of_a_token_that_ends(workspace: Workspace) -> None:
    used = make_token(workspace, "builder", [Scope.READ], days=5)
    idle = make_token(workspace, "idle", [Scope.READ], days=5).row
    token_with(used.secret)

    assert [row.agent for row in ending_soon(workspace)] == ["builder", "idle"]
    AccessToken.objects.filter(pk=idle.pk).update(expires_at=timezone.now())
    rotate_token(make_token(workspace, "builder", [Scope.READ]).row)
    assert ending_soon(workspace) == []
