"""Passkeys of a program: keys, challenges and answers that a browser would not send."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

import pytest
from allauth.account.utils import user_pk_to_url_str
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import TOTP
from allauth.mfa.webauthn.internal.auth import STATE_SESSION_KEY
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from django.test import Client
from fido2.cose import ES256
from fido2.utils import websafe_encode
from fido2.webauthn import (
    AttestationObject,
    AttestedCredentialData,
    AuthenticatorData,
    CollectedClientData,
)

from memoryhub.accounts.services.persons import create_person
from memoryhub.people.models import User
from tests.accounts.conftest import PASSWORD
from tests.signing import PageReader

LOGIN = "/accounts/passkeys/login/"
HOST, ORIGIN = "localhost", "http://localhost"


NAMED = {"id": websafe_encode(b"key-1"), "rawId": websafe_encode(b"key-1")}
NAMED["type"] = "public-key"


def said(what: str, challenge: str) -> bytes:
    return CollectedClientData.create(f"webauthn.{what}", challenge, ORIGIN)


@dataclass
class Key:
    """A security key; `verified`: it has asked for its PIN."""

    verified: bool = True
    made: ec.EllipticCurvePrivateKey = field(
        default_factory=lambda: ec.generate_private_key(ec.SECP256R1())
    )

    def data(self, *, new: bool = False) -> AuthenticatorData:
        flag = AuthenticatorData.FLAG
        flags = flag.UP | flag.UV * self.verified | flag.AT * new
        public = ES256.from_cryptography_key(  # type: ignore[no-untyped-call]
            self.made.public_key()
        )
        held = AttestedCredentialData.create(b"\0" * 16, b"key-1", public)
        rp = sha256(HOST.encode()).digest()
        whole: AuthenticatorData = AuthenticatorData.create(
            rp, flags, 0, held if new else b""
        )
        return whole

    def new(self, challenge: str, *, alone: bool) -> dict[str, Any]:
        """Return the answer to a challenge by which the key is added."""
        response = {
            "clientDataJSON": websafe_encode(said("create", challenge)),
            "attestationObject": websafe_encode(
                AttestationObject.create("none", self.data(new=True), {})
            ),
        }
        extensions = {"credProps": {"rk": alone}}
        return {
            **NAMED, "response": response, "clientExtensionResults": extensions
        }  # fmt: skip

    def added_to(self, person: User, *, alone: bool) -> None:
        credential = self.new("Y2hhbGxlbmdl", alone=alone)
        Authenticator.objects.create(
            user=person,
            type=Authenticator.Type.WEBAUTHN,
            data={"name": "Key", "credential": credential},
        )

    def answer(self, challenge: str, person: User) -> dict[str, Any]:
        client, data = said("get", challenge), self.data()
        signed = data + sha256(client).digest()
        response = {
            "clientDataJSON": websafe_encode(client),
            "authenticatorData": websafe_encode(data),
            "signature": websafe_encode(
                self.made.sign(signed, ec.ECDSA(hashes.SHA256()))
            ),
            "userHandle": websafe_encode(user_pk_to_url_str(person).encode()),
        }
        return {**NAMED, "response": response}


@pytest.fixture
def browser() -> Client:
    return PageReader(headers={"host": HOST})


def challenge_of(browser: Client) -> str:
    browser.get(LOGIN, headers={"x-requested-with": "XMLHttpRequest"})
    return str(browser.session[STATE_SESSION_KEY]["challenge"])


def challenge_of_own_factor(browser: Client) -> str:
    """Return the challenge for a second factor after one's own password.

    The sign-in itself has expired since.
    """
    mallory = create_person("mallory", password=PASSWORD)
    TOTP.activate(mallory, "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP")
    form = {"login": "mallory", "password": PASSWORD}
    browser.post("/accounts/login/", form)
    browser.get("/accounts/second-factor/enter/")
    session = browser.session
    session["account_login"]["initiated_at"] -= 1_000
    session.save()
    return str(browser.session[STATE_SESSION_KEY]["challenge"])


def who_signs_in(browser: Client, answer: dict[str, Any]) -> str:
    browser.post(LOGIN, {"credential": json.dumps(answer)})
    found = browser.session.get("_auth_user_id")
    return User.objects.get(pk=found).username if found else ""


def test_a_passkey_alone_signs_in_once_per_challenge(
    browser: Client, kim: User
) -> None:
    key = Key()
    key.added_to(kim, alone=True)
    answer = key.answer(challenge_of(browser), kim)

    assert who_signs_in(browser, answer) == "kim"
    browser.post("/accounts/logout/")
    challenge_of(browser)
    assert who_signs_in(browser, answer) == ""


@pytest.mark.parametrize("alone", [True, False])
def test_a_key_without_its_pin_signs_nobody_in_alone(
    browser: Client, kim: User, *, alone: bool
) -> None:
    stolen = Key(verified=False)
    stolen.added_to(kim, alone=alone)
    other = PageReader(headers={"host": HOST})

    assert who_signs_in(other, stolen.answer(challenge_of(other), kim)) == ""
    challenge = challenge_of_own_factor(browser)
    assert who_signs_in(browser, stolen.answer(challenge, kim)) == ""


def test_a_key_that_is_a_second_factor_only_does_not_replace_the_password(
    browser: Client, kim: User
) -> None:
    key = Key()
    key.added_to(kim, alone=False)

    assert who_signs_in(browser, key.answer(challenge_of(browser), kim)) == ""


@pytest.mark.parametrize("way", ["removed", "deactivated", "another's", "made up"])
def test_no_other_key_signs_in(browser: Client, kim: User, way: str) -> None:
    key, lee = Key(), create_person("lee", password=PASSWORD)
    key.added_to(kim, alone=True)
    match way:
        case "removed":
            Authenticator.objects.all().delete()
        case "deactivated":
            User.objects.filter(pk=kim.pk).update(is_active=False)
        case "made up":
            key = Key()
    person = lee if way == "another's" else kim

    assert who_signs_in(browser, key.answer(challenge_of(browser), person)) == ""


def signed_in(name: str) -> tuple[Client, User]:
    """Return a person's browser, in which the password was just confirmed."""
    person, client = create_person(name, password=PASSWORD), PageReader()
    client.defaults["HTTP_HOST"] = HOST
    client.post("/accounts/login/", {"login": name, "password": PASSWORD})
    client.post("/accounts/confirm/", {"password": PASSWORD})
    return client, person


def test_a_key_of_one_person_is_no_second_factor_of_another(kim: User) -> None:
    own, theirs = Key(), Key()
    own.added_to(kim, alone=False)
    theirs.added_to(create_person("mallory"), alone=False)
    thief = PageReader(headers={"host": HOST})
    thief.post("/accounts/login/", {"login": "kim", "password": PASSWORD})

    def enter(key: Key) -> bool:
        page = "/accounts/second-factor/enter/"
        thief.get(page)
        answer = key.answer(thief.session[STATE_SESSION_KEY]["challenge"], kim)
        thief.post(page, {"credential": json.dumps(answer)})
        return "_auth_user_id" in thief.session

    assert not enter(theirs)
    assert enter(own)


def test_a_key_of_one_person_is_not_renamed_or_removed_by_another(kim: User) -> None:
    Key().added_to(kim, alone=True)
    client, _ = signed_in("mallory")
    row = Authenticator.objects.get()

    for act in ("", "remove/"):
        page = f"/accounts/passkeys/{row.pk}/{act}"
        assert client.get(page).status_code == 404
        assert client.post(page, {"name": "Mine"}).status_code == 404
    assert Authenticator.objects.get().data == row.data


def test_a_key_is_added_to_the_account_that_asked_for_it_once() -> None:
    (ann, _), (bob, person) = signed_in("ann"), signed_in("bob")
    page, key = "/accounts/passkeys/add/", Key()
    for client in (ann, bob):
        client.get(page)
    challenge = ann.session[STATE_SESSION_KEY]["challenge"]
    answer = {"credential": json.dumps(key.new(challenge, alone=True)), "name": "Key"}

    def added(client: Client) -> int:
        client.post(page, answer)
        keys = Authenticator.objects.filter(type=Authenticator.Type.WEBAUTHN)
        return len(list(keys))

    assert [added(client) for client in (bob, ann, ann)] == [0, 1, 1]
    assert not Authenticator.objects.filter(user=person).exists()


#: Answers that no authenticator gives.
ODD = (
    "[" * 5_000, '{"a":' * 5_000, "[]", "null", "1", '{"response": []}',
    '{"id": "a", "rawId": "a", "type": "public-key", "response": {"userHandle": 5}}',
    '{"id": "\\ud800", "rawId": "\\ud800", "type": "public-key", "response": {}}',
)  # fmt: skip


@pytest.mark.parametrize("answer", ODD, ids=lambda text: text[:20])
@pytest.mark.parametrize("page", ["login", "add", "confirm"])
def test_an_answer_that_no_key_gives_breaks_no_page(page: str, answer: str) -> None:
    client, _ = signed_in("ann")
    if page == "login":
        client.post("/accounts/logout/")
        challenge_of(client)
    else:
        client.get(f"/accounts/passkeys/{page}/")

    sent = client.post(f"/accounts/passkeys/{page}/", {"credential": answer})

    assert sent.status_code < 500
    assert not Authenticator.objects.exists()
