"""Which addresses of accounts exist, for whom, and that one's own machine has none."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP
from django.test import Client
from django.urls import NoReverseMatch, URLPattern, get_resolver, reverse
from pytest_django import Settings

from memoryhub.accounts.services.invitations import Offer, invite
from memoryhub.accounts.services.persons import TEAM_URLS, create_person
from memoryhub.people.models import User
from memoryhub.people.rights import Role
from memoryhub.people.roles import grant
from memoryhub.web.rights import RIGHTS
from tests.accounts.conftest import PASSWORD
from tests.conftest import MakeWorkspace
from tests.people.test_sign_in import patterns
from tests.signing import PageReader, signed_in

#: What strangers are answered.
PUBLIC = """account_login account_logout account_inactive account_signup join
    account_email_verification_sent account_confirm_email account_reset_password
    account_reset_password_done account_reset_password_from_key_done
    account_reset_password_from_key mfa_authenticate mfa_login_webauthn
    socialaccount_login_cancelled socialaccount_login_error socialaccount_signup
    openid_connect_login openid_connect_callback"""
OF_THE_HUB = "people person change-person"
PARTS = {
    "key": "abc", "uidb36": "1", "secret": "abc", "provider_id": "sso", "pk": 7,
    "number": 7, "act": "deactivate",
}  # fmt: skip


def of_accounts() -> list[URLPattern]:
    known = {id(one) for one in patterns(get_resolver())}
    return [one for one in patterns(get_resolver(TEAM_URLS)) if id(one) not in known]


def address(pattern: URLPattern) -> str:
    """Return the address of a page, by trying which parts it has."""
    for names in ("", "key", "uidb36 key", "secret", "provider_id", "pk", "number"):
        for more in ("", " act"):
            parts = {name: PARTS[name] for name in (names + more).split()}
            with suppress(NoReverseMatch):
                return reverse(str(pattern.name), TEAM_URLS, kwargs=parts)
    raise AssertionError(pattern)


def test_every_address_of_accounts_is_public_or_declares_a_right() -> None:
    names = {str(one.name) for one in of_accounts()}
    open_to_all = {
        str(one.name)
        for one in of_accounts()
        if not getattr(one.callback, "login_required", True)
    }

    assert open_to_all == set(PUBLIC.split())
    assert names - open_to_all <= RIGHTS.keys()


def test_without_team_mode_no_address_of_accounts_exists(settings: Settings) -> None:
    settings.MEMORYHUB_TEAM = False
    for client in (signed_in(), Client()):
        for one in of_accounts():
            for method in ("get", "post"):
                answer = getattr(client, method)(address(one))
                assert answer.status_code == 404, one.name


def test_strangers_are_led_to_where_people_sign_in(browser: Client) -> None:
    for one in of_accounts():
        answer = browser.get(address(one))
        if str(one.name) in PUBLIC:
            assert answer.status_code in (200, 302, 401, 404), one.name
        else:
            wanted = f"/accounts/login/?next={address(one)}"
            assert (answer.status_code, answer["Location"]) == (302, wanted)


@pytest.mark.parametrize("who", ["nobody", "kim"])
def test_no_address_of_accounts_fails(kim: User, settings: Settings, who: str) -> None:
    settings.EMAIL_HOST = "mail.example.org"
    TOTP.activate(kim, "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP")
    RecoveryCodes.activate(kim)
    for one in of_accounts():
        for method in ("get", "post"):
            client = PageReader()
            if who == "kim":
                client.force_login(kim)
                client.post("/accounts/confirm/", {"password": PASSWORD})
            answer = getattr(client, method)(address(one))
            assert answer.status_code < 500, (one.name, method)


def test_pages_of_all_people_are_for_administrators_of_the_hub(
    make_workspace: MakeWorkspace, workspace_root: Path, kim: User
) -> None:
    lee = create_person("lee", password=PASSWORD)
    grant(make_workspace(workspace_root), lee, Role.ADMINISTRATOR)
    lees, kims = PageReader(), PageReader()
    lees.force_login(lee)
    kims.force_login(kim)

    assert lees.get("/accounts/people/").status_code == 403
    assert lees.post(f"/accounts/people/{kim.pk}/deactivate/").status_code == 403
    assert kims.get("/accounts/people/").status_code == 200
    assert kims.get(f"/accounts/people/{lee.pk}/").status_code == 200


def test_an_administrator_of_a_workspace_invites_to_it_and_to_no_other(
    make_workspace: MakeWorkspace, workspace_root: Path, tmp_path: Path, kim: User
) -> None:
    lee = create_person("lee", password=PASSWORD)
    acme = make_workspace(workspace_root)
    (tmp_path / "elsewhere").mkdir()
    other = make_workspace(tmp_path / "elsewhere")
    grant(acme, lee, Role.ADMINISTRATOR)
    grant(other, lee, Role.COORDINATOR)
    lees = PageReader()
    lees.force_login(lee)
    form = {"role": Role.ADMINISTRATOR, "days": 7, "hub_administrator": "on"}

    made = lees.post("/accounts/people/invite/", {**form, "workspace": acme.slug})
    assert made.status_code == 200 and "/accounts/join/" in made.content.decode()
    refused = lees.post("/accounts/people/invite/", {**form, "workspace": other.slug})
    assert refused.status_code == 422
    assert lees.post("/accounts/people/invite/", form).status_code == 422
    theirs = invite(Offer(hub_administrator=True), kim).row
    path = f"/accounts/people/invitations/{theirs.pk}/revoke/"
    assert lees.post(path).status_code == 404


def test_the_sign_in_link_of_one_machine_is_none_in_a_team(browser: Client) -> None:
    assert browser.get("/open/?token=abc").status_code == 404


def test_a_part_of_a_page_is_not_answered_with_the_sign_in_page(
    browser: Client,
) -> None:
    answer = browser.get("/me/", headers={"hx-request": "true", "accept": "text/html"})

    assert (answer.status_code, answer["HX-Refresh"]) == (401, "true")
