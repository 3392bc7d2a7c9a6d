"""Record every page of the samples: `python -m tests.pages FILE [--against FILE]`.

Links are followed from the start, by three roles in two languages; then each form
is sent empty. With `--against` it prints how the answers differ from those of an
earlier record, and ends with 1 if they do.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import sys
import uuid
from collections import Counter, deque
from difflib import unified_diff
from html import unescape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import parse_qs, unquote, urljoin, urlsplit

import django
import time_machine

from tests.clock import TODAY

_ROOT = Path(__file__).parents[1]
#: By reader: the language, and how many addresses of a kind are read. Where several
#: are, lists are read as parts of a page, too.
_READERS = {"head": ("en", 2), "member": ("zh-hans", 1), "guest": ("en", 1)}
_ROLES = {"head": "administrator", "guest": "viewer", "member": "editor"}
_PASSWORD = "correct horse battery"
_LINK = re.compile(r'\s(?:href|src|hx-get|data-href|data-news)="([^"]*)"')
_ACTION = re.compile(r'\s(?:action|formaction|hx-post)="([^"]*)"')
#: What is random, and what is printed instead of it.
_RANDOM = (
    (r'(csrfmiddlewaretoken" value=")\w+', r"\1"),
    (r'("X-CSRFToken": ")\w+', r"\1"),
    (r"[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}", "UUID"),
    (r"otpauth://[^\"]*|<svg[^>]*qr.*?</svg>|data:image/svg[^\"]*", "QR"),
    (r"(totp_secret[^>]*>)[^<]*|(totp_secret[^>]*value=\")\w+", r"\1\2"),
    (r"(/sheets/)\w+", r"\1"),
    (r"(/accounts/join/)[\w-]+|(mhub_)[\w-]+", r"\1\2"),
    (r'(name="session" value=")[\w]+', r"\1"),
    (r'(data-key=")[\w-]{80,}', r"\1"),
    (r"\d+\.\d\d s\b|\d+\.\d\d 秒", "SECONDS"),
)


def _make(folder: Path) -> None:
    """Import the samples, change them, import again; make what forms make."""
    from memoryhub.journal.models import Workspace
    from memoryhub.sync.engine import sync_workspace
    from memoryhub.workspaces.services.adding import add_workspace

    roots = [folder / name for name in ("acme", "nasty", "gone")]
    shutil.copytree(_ROOT / "samples/acme-checkout", roots[0])
    os.system(f"'{sys.executable}' '{_ROOT}/samples/make_nasty.py' '{roots[1]}' >&2")
    clash = "# Clash\n\n<<<<<<< HEAD\n- one\n=======\n- two\n>>>>>>> theirs\n"
    (roots[0] / "memory/clash.md").write_text(clash)
    (roots[2] / "memory").mkdir(parents=True)
    for day in range(1, 21):
        text = f"# 2026-11-{day:02}\n\n- note {day}\n"
        (roots[2] / f"memory/2026-11-{day:02}.md").write_text(text)
    made = [add_workspace(root) for root in roots]
    for workspace in made:
        workspace.uuid = uuid.uuid5(uuid.NAMESPACE_URL, workspace.slug)
        workspace.save()
    for moment in range(2):
        for path in folder.rglob("*"):
            if path.exists() and not path.is_relative_to(folder / "hub"):
                seconds = TODAY.timestamp() - 9_000 + moment * 5_000
                os.utime(path, (seconds, seconds))
        for workspace in made:
            sync_workspace(Workspace.objects.get(pk=workspace.pk))
        for name in ("MEMORY.md", "SOUL.md"):
            with (roots[0] / name).open("a") as memory:
                memory.write("\n## Learned\n- Deploys on Friday are fine\n")
                memory.write("\n## Rules\n- Rule: never push without a review\n")
        for path in sorted((roots[2] / "memory").iterdir())[:19]:
            path.unlink()


def _signed_in(reader: str, language: str) -> Any:
    from django.test import Client

    from memoryhub.journal.models import Workspace
    from memoryhub.people.models import User
    from memoryhub.people.rights import Role
    from memoryhub.people.roles import grant

    head = reader == "head"
    who = User.objects.create_user(reader, password=_PASSWORD, hub_administrator=head)
    for workspace in Workspace.objects.all():
        grant(workspace, who, Role.of_word(_ROLES[reader]))  # type: ignore[arg-type]
    browser = Client(headers={"host": "localhost", "accept-language": language})
    browser.post("/accounts/login/", {"login": reader, "password": _PASSWORD})
    return browser


def _kind(address: str) -> tuple[str, ...]:
    """Return what sets an address apart: its route, workspace, tab and parameters."""
    from django.urls import Resolver404, resolve

    from memoryhub.accounts.services.persons import TEAM_URLS

    parts = urlsplit(address)
    try:
        found = resolve(unquote(parts.path), TEAM_URLS)
    except Resolver404:
        return (address,)
    asked = parse_qs(parts.query, keep_blank_values=True)
    names = [str(found.kwargs.get(name, "")) for name in ("slug", "tab", "act")]
    views = asked.get("view", []) + asked.get("state", [])
    return (found.url_name or "", *names, *views, "?", *sorted(asked)[:1])


def _text(answer: Any) -> str:
    """Return what an answer says."""
    said = [str(answer.status_code), answer.headers.get("Location", "")]
    if not answer.headers.get("Content-Type", "").startswith(("image", "font")):
        body = b"".join(answer) if answer.streaming else answer.content
        said.append("" if body[:2] == b"PK" else body.decode("utf-8", "replace"))
    text = "\n".join(said)
    return "\n".join(line.strip() for line in text.splitlines() if line.strip())


def _walk(browser: Any, most: int) -> tuple[dict[str, str], dict[str, str]]:
    """Return what addresses say, and the first address of each kind of form."""
    ahead, seen, opened = deque(["/"]), {"/"}, Counter[tuple[str, ...]]()
    found, actions = {}, dict[str, str]()
    while ahead:
        address = ahead.popleft()
        kind = _kind(address)
        opened[kind] += 1
        if opened[kind] > most:
            continue
        found[address] = text = _text(answer := browser.get(address))
        if opened[kind] == 1 < most and "?" in address:
            part = {"HX-Request": "true", "HX-Target": "results"}
            found[f"part {address}"] = _text(browser.get(address, headers=part))
        for action in map(unescape, _ACTION.findall(text)):
            target = urljoin(address, action).partition("#")[0]
            actions.setdefault(str(_kind(target)), target)
        links = [*_LINK.findall(text), answer.headers.get("Location", "")]
        for link in map(unescape, links):
            target = urljoin(address, link).partition("#")[0]
            is_page = target.startswith("/") and not target.startswith("/static/")
            if is_page and target not in seen:
                seen.add(target)
                ahead.append(target)
    return found, actions


def _recorded(folder: Path) -> dict[str, str]:
    from django.test.utils import override_settings

    from memoryhub.database.schema import ensure_schema
    from tests.test_every_link import _MADE

    ensure_schema()
    _make(folder)
    found, forms = {}, dict[str, tuple[str, str]]()
    with override_settings(MEMORYHUB_TEAM=True):
        browsers = {name: _signed_in(name, each[0]) for name, each in _READERS.items()}
        for address, said in _MADE.items():
            found[f"make {address}"] = _text(browsers["head"].post(address, said))
        for name, (_, most) in _READERS.items():
            pages, actions = _walk(browsers[name], most)
            found |= {f"{name}: {address}": text for address, text in pages.items()}
            for kind, address in actions.items():
                forms.setdefault(kind, (name, address))
        for name, address in sorted(forms.values()):
            if "logout" not in address and "sign-out" not in address:
                answer = browsers[name].post(address, {})
                found[f"{name} sends: {address}"] = _text(answer)
                if 300 <= answer.status_code < 400:
                    shown = _text(browsers[name].get(answer.headers["Location"]))
                    found[f"{name} sent: {address}"] = shown
    return {_settled(key, folder): _settled(found[key], folder) for key in found}


def _settled(text: str, folder: Path) -> str:
    """Return a text without what is random."""
    for pattern, instead in _RANDOM:
        text = re.sub(pattern, instead, text)
    return text.replace(str(folder), "")


def main() -> int:
    """Record the pages; return 1 if they differ from those of the other record."""
    parser = argparse.ArgumentParser(prog="python -m tests.pages")
    parser.add_argument("file", type=Path)
    parser.add_argument("--against", type=Path)
    asked = parser.parse_args()
    with TemporaryDirectory() as folder, time_machine.travel(TODAY, tick=False):
        os.environ["MEMORYHUB_DATA"] = f"{folder}/hub"
        os.environ["MEMORYHUB_SEMANTIC"] = "0"
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryhub.settings")
        django.setup()
        found = _recorded(Path(folder))
    asked.file.write_text(json.dumps(found, indent=0), "utf-8")
    return _compare(found, asked.against) if asked.against else 0


def _compare(found: dict[str, str], against: Path) -> int:
    before = json.loads(against.read_text("utf-8"))
    differing = [key for key in before | found if before.get(key) != found.get(key)]
    for key in differing[:40]:
        old, new = (each.get(key, "").splitlines() for each in (before, found))
        diff = list(unified_diff(old, new, lineterm="", n=1))[3:30]
        sys.stdout.write("\n".join([f"== {key}", *(line[:300] for line in diff), ""]))
    sys.stdout.write(f"{len(differing)} of {len(before | found)} pages differ\n")
    return bool(differing)


if __name__ == "__main__":
    sys.exit(main())
