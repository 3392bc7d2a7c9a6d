from __future__ import annotations
import re
import pytest
from django.test import Client
from memoryhub.people.models import User
from tests.accounts.conftest import PASSWORD

def text(r): return re.sub(r"\s+"," ",re.sub(r"<[^>]+>"," ",r.content.decode()))

def test_login(browser: Client, kim: User) -> None:
    r = browser.get("/me/")
    assert (r.status_code, r["Location"]) == (302, "/accounts/login/?next=/me/")
    r = browser.get(r["Location"]); assert r.status_code == 200, text(r)
    r = browser.post("/accounts/login/?next=/me/", {"login": "kim", "password": PASSWORD})
    assert r.status_code == 302, text(r)
    r = browser.get(r["Location"]); print(text(r)); assert r.status_code==200

@pytest.mark.parametrize("path", ["/me/","/accounts/people/","/accounts/people/invite/","/accounts/password/","/accounts/confirm/","/accounts/second-factor/confirm/","/accounts/provider/", "/accounts/logout/","/accounts/second-factor/app/","/accounts/passkeys/add/","/accounts/second-factor/codes/"])
def test_pages(kims: Client, path: str) -> None:
    r = kims.get(path, follow=True)
    print(r.redirect_chain, text(r))
    assert r.status_code == 200

@pytest.mark.parametrize("path", ["login/","signup/","inactive/","password/reset/","password/reset/sent/","password/reset/done/","password/reset/1-abc/","email/sent/","email/abc/","provider/cancelled/","provider/error/","join/abc/"])
def test_strangers(browser: Client, path: str) -> None:
    r = browser.get("/accounts/"+path)
    print(r.status_code, text(r))
    assert r.status_code in (200, 401, 404)
