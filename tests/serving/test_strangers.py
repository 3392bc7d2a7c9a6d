"""Who reaches the port of a real hub without a credential: nobody is let in."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from tests.browser.hub import (
    ROOT,
    cookie_of,
    local_token_of,
    manage,
    serving_hub,
    signed_in_by,
)
from tests.forwarding import forwarding
from tests.warm import python

NOBODY = 65534
_REST = "/api/v1/workspaces"
_LIST = b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}'
_JSON = {"Content-Type": "application/json", "Accept": "application/json"}
_WRITE = {**_JSON, "If-None-Match": "*"}
_DOCUMENT = f"{_REST}/notes/documents/memory/pwn.md"
#: What a stranger asks for: method, address, body and headers.
TRIES = [
    ("GET", "/", None, {}),
    ("GET", "/w/notes/", None, {}),
    ("GET", "/w/notes/export/download/", None, {}),
    ("GET", "/w/notes/timeline.atom", None, {}),
    ("POST", "/imports/new/", b"source=path&path=/etc", {}),
    ("POST", "/w/notes/tokens/", b"agent=x&scopes=admin", {}),
    ("GET", "/live/", None, {}),
    ("GET", _REST, None, {}),
    ("PUT", _DOCUMENT, b'{"text": "x"}', _WRITE),
    ("GET", "/api/v1/openapi.json", None, {}),
    ("POST", "/mcp", _LIST, _JSON),
]
#: What was enough once, and what claims to be near.
CLAIMS = [
    {},
    {"Host": "localhost:8765"},
    {"Authorization": "Basic eDp5"},
    {"X-Forwarded-For": "127.0.0.1", "X-Real-IP": "127.0.0.1"},
    {"MemoryHub-Agent": "operator"},
    {"Cookie": "sessionid=x; memoryhub_00000000=x"},
]


def status(address: str, method: str, body: bytes | None, said: dict[str, str]) -> int:
    """Return what is answered to a request; nothing but a sign-in may be said."""
    request = Request(address, body, said, method=method)
    try:
        with urlopen(request, timeout=60) as answer:
            return int(answer.status)
    except HTTPError as error:
        with error:
            assert error.code != 401 or error.headers["WWW-Authenticate"] == "Bearer"
            assert b"only mine" not in error.read()
            return error.code


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: ",".join(claim) or "none")
def test_nothing_is_answered_on_loopback(notes_hub: str, claim: dict[str, str]) -> None:
    answers = {
        (method, path): status(notes_hub + path, method, body, headers | claim)
        for method, path, body, headers in TRIES
    }

    assert set(answers.values()) == {401}, answers


def test_nothing_is_answered_behind_a_proxy_that_adds_no_header(
    notes_hub: str, notes_folder: Path
) -> None:
    with forwarding(notes_hub) as front:
        answers = {
            (method, path): status(front + path, method, body, headers)
            for method, path, body, headers in TRIES
        }
        known = {"Cookie": cookie_of(notes_hub)}
        token = {"Authorization": f"Bearer {local_token_of(notes_hub)}"}
        assert status(f"{front}/w/notes/", "GET", None, known) == 200
        assert status(front + _REST, "GET", None, token) == 200

    assert set(answers.values()) == {401}, answers
    assert not (notes_folder / "notes/memory/pwn.md").exists()


def test_the_stylesheets_and_the_health_are_for_everybody(notes_hub: str) -> None:
    assert status(f"{notes_hub}/healthz", "GET", None, {}) == 200
    assert status(f"{notes_hub}/static/css/tokens.css", "GET", None, {}) == 200


def test_the_stream_is_for_a_person_or_the_local_token(
    notes_hub: str, notes_folder: Path
) -> None:
    line = ["token", "make", "scout", "--workspace", "notes", "--scope", "read"]
    agent = {"Authorization": f"Bearer {manage(notes_folder, *line).strip()}"}
    token = {"Authorization": f"Bearer {local_token_of(notes_hub)}"}
    elsewhere = {"Cookie": cookie_of(notes_hub), "Sec-Fetch-Site": "same-site"}

    assert status(f"{notes_hub}/live/", "GET", None, agent) == 401
    assert status(f"{notes_hub}/live/", "GET", None, elsewhere) == 403
    for known in ({"Cookie": cookie_of(notes_hub)}, token):
        with urlopen(
            Request(f"{notes_hub}/live/", headers=known), timeout=60
        ) as stream:
            assert stream.headers["Content-Type"].startswith("text/event-stream")


def test_the_cookie_of_a_browser_is_none_for_rest(notes_hub: str) -> None:
    known = {"Cookie": cookie_of(notes_hub), "Sec-Fetch-Site": "same-origin"}

    assert status(notes_hub + _REST, "GET", None, known) == 401
    assert status(notes_hub + _DOCUMENT, "PUT", b'{"text": "x"}', known | _WRITE) == 401


def test_open_gives_another_link_and_the_cookie_outlives_the_server(
    notes_hub: str, notes_folder: Path
) -> None:
    given = json.loads(manage(notes_folder, "open", "/w/notes/", "--json"))
    assert given["address"] == f"{notes_hub}/"
    cookie = signed_in_by(given["link"])

    with serving_hub(notes_folder) as later:
        assert status(f"{later}/w/notes/", "GET", None, {"Cookie": cookie}) == 200


_AS_NOBODY = """
import json, sys
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

def status(path):
    try:
        return urlopen(Request(sys.argv[1] + path), timeout=60).status
    except HTTPError as error:
        return error.code

def readable(path):
    try:
        return bool(Path(path).read_bytes())
    except OSError:
        return False

pages = ["/", "/w/notes/", "/imports/new/", "/api/v1/workspaces", "/live/"]
answers = [status(path) for path in pages]
print(json.dumps([answers, [path for path in sys.argv[2:] if readable(path)]]))
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another user")
def test_another_user_of_the_computer_can_do_nothing(
    notes_hub: str, notes_folder: Path
) -> None:
    setpriv = shutil.which("setpriv")
    assert setpriv is not None
    data = notes_folder / "data"
    secrets = ["secret.key", "local.token", "memoryhub.sqlite3"]
    files = [data / name for name in secrets] + list((data / "links").iterdir())
    other = [setpriv, f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    # Its own interpreter may be in a folder that only its owner can enter.
    program = shutil.which("python3", path="/usr/bin:/usr/local/bin") or sys.executable
    line = [*other, program, "-c", _AS_NOBODY, notes_hub, *map(str, files)]

    done = subprocess.run(line, cwd="/", capture_output=True, text=True, check=True)

    assert json.loads(done.stdout) == [[401] * 5, []]


def serve(notes_folder: Path, *options: str, **variables: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        python(ROOT / "manage.py", "serve", "--port", "0", *options),
        env={**os.environ, "MEMORYHUB_DATA": str(notes_folder / "data"), **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_other_computers_are_served_nothing_that_asks_nobody(
    notes_folder: Path, host: str
) -> None:
    said, failed = serve(notes_folder, "--host", host).communicate(timeout=60)

    assert said == ""
    assert failed.startswith(f"memoryhub: other computers reach {host}")
    assert "--agents-only" in failed and failed.count("\n") == 1


def test_agents_alone_are_served_by_rest_and_mcp(notes_folder: Path) -> None:
    line = ["token", "make", "scout", "--workspace", "notes", "--scope", "read"]
    token = {"Authorization": f"Bearer {manage(notes_folder, *line).strip()}"}
    process = serve(notes_folder, "--agents-only", "--host", "0.0.0.0", "--no-watch")
    try:
        assert process.stdout is not None
        port = process.stdout.readline().split(" at ")[1].split("/")[2].split(":")[1]
        hub = f"http://127.0.0.1:{port}"
        for method, path, body, headers in TRIES:
            is_agents = path == "/mcp" or path.startswith("/api/")
            expected = 401 if is_agents else 404
            assert status(hub + path, method, body, headers) == expected
        assert status(f"{hub}/healthz", "GET", None, {}) == 404
        named = token | {"Host": "0.0.0.0"}
        assert status(hub + _REST, "GET", None, named) == 200
        assert status(hub + _REST, "GET", None, token) == 200
        assert status(f"{hub}/mcp", "POST", _LIST, _JSON | token) == 200
    finally:
        process.terminate()
        process.communicate(timeout=60)


def test_trust_and_agents_of_elsewhere_do_not_go_together(notes_folder: Path) -> None:
    process = serve(notes_folder, "--agents-only", MEMORYHUB_TRUST_LOOPBACK="1")

    assert "MEMORYHUB_TRUST_LOOPBACK" in process.communicate(timeout=60)[1]
    assert process.returncode == 1


def test_a_hub_that_trusts_this_computer_says_so(notes_folder: Path) -> None:
    process = serve(notes_folder, "--no-watch", MEMORYHUB_TRUST_LOOPBACK="1")
    try:
        assert process.stdout is not None
        hub = process.stdout.readline().split(" at ")[1].strip().rstrip("/")
        assert "MEMORYHUB_TRUST_LOOPBACK" in process.stdout.readline()
        for path in ("/w/notes/", _REST):
            assert status(hub + path, "GET", None, {}) == 200
            forwarded = {"X-Forwarded-For": "10.0.0.1"}
            assert status(hub + path, "GET", None, forwarded) == 401
    finally:
        process.terminate()
        process.communicate(timeout=60)
