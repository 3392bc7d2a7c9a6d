"""A hub behind a real TLS proxy: nginx or Caddy, with the configuration we ship."""

from __future__ import annotations

import os
import re
import shutil
import socket
import ssl
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from ipaddress import ip_address
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any

import httpx2 as httpx
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.browser.hub import ROOT, environment, manage
from tests.waiting import wait_for
from tests.warm import python

_NGINX = """
daemon off; pid {folder}/nginx.pid; error_log {folder}/error.log; {user}
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
    include {site};
}}
"""
_CADDY = "{{\n\tadmin off\n\tauto_https disable_redirects\n}}\nimport {site}\n"


@dataclass(frozen=True, slots=True)
class Front:
    """A hub behind a proxy: its public address, folder, one's session and certificate.

    `own`: the hub's address without the proxy.
    """

    address: str
    own: str
    folder: Path
    cookie: str
    trusted: ssl.SSLContext

    def browser(self, **headers: str) -> httpx.Client:
        """Return a client that is signed in."""
        return self.client(Cookie=self.cookie, **headers)

    def client(self, **headers: str) -> httpx.Client:
        """Return a client of the public address; paths are relative to the hub."""
        return httpx.Client(
            base_url=self.address, verify=self.trusted, headers=headers, timeout=60
        )

    def program(self, *scopes: str) -> httpx.Client:
        """Return a client with an agent's token."""
        grant = [part for scope in scopes for part in ("--scope", scope)]
        line = ["token", "make", "scout", "--workspace", "notes", *grant]
        token = manage(self.folder, *line).strip()
        return self.client(Authorization=f"Bearer {token}")


def missing_proxies() -> list[str]:
    """Return which of the proxies are not installed."""
    return [name for name in ("nginx", "caddy") if not _program(name)]


def _program(name: str) -> str | None:
    return shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin:/usr/local/sbin")


def free_port() -> int:
    """Return a port of loopback that nobody uses."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@contextmanager
def fronted(
    folder: Path,
    proxy: str,
    path: str,
    changes: Mapping[str, str] = MappingProxyType({}),
    /,
    **variables: str,
) -> Iterator[Front]:
    """Give the hub of a folder behind a proxy, at a base path such as ``/hub/``.

    `changes`: texts of the shipped file, and what an administrator writes instead.
    """
    ports = free_port(), free_port()
    address = f"https://127.0.0.1:{ports[0]}{path}"
    trusted = _certified(folder)
    own = f"http://127.0.0.1:{ports[1]}"
    with (
        served(folder, None, ports[1], MEMORYHUB_URL=address, **variables) as link,
        _proxying(folder, proxy, path, ports, changes),
    ):
        wait_for(lambda: _answers(*ports))
        # A team signs in by name and password.
        cookie = _signed_in(link, trusted) if "token=" in link else ""
        yield Front(address, own, folder, cookie, trusted)


def _answers(*ports: int) -> bool:
    try:
        for port in ports:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True


def _signed_in(link: str, trusted: ssl.SSLContext) -> str:
    answer = httpx.get(link, verify=trusted, timeout=60)
    assert answer.status_code == 303, answer.text
    cookies = answer.headers.get_list("Set-Cookie")
    assert all("Secure" in cookie for cookie in cookies)
    mine = next(cookie for cookie in cookies if "HttpOnly" in cookie)
    return str(mine.partition(";")[0])


@contextmanager
def served(
    folder: Path, stderr: IO[str] | None = None, port: int = 0, **variables: str
) -> Iterator[str]:
    """Give the sign-in link of a hub; its process must end well."""
    command = python(ROOT / "manage.py", "serve", "--port", port, "--no-watch")
    server = subprocess.Popen(
        command,
        env={**environment(folder), **variables},
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
    )
    try:
        assert server.stdout is not None
        found = re.search(r"https?://\S+", server.stdout.readline())
        assert found, "the hub did not say its address"
        yield found[0]
    finally:
        server.terminate()
        server.communicate(timeout=60)


@contextmanager
def _proxying(
    folder: Path,
    proxy: str,
    path: str,
    ports: tuple[int, int],
    changes: Mapping[str, str],
) -> Iterator[None]:
    public, behind = ports
    site = folder / f"{proxy}.site"
    main = folder / f"{proxy}.main"
    names: dict[str, object] = {
        "/etc/ssl/private/hub.example.org": folder / "hub",
        "127.0.0.1:8765": f"127.0.0.1:{behind}",
        "listen 80": f"listen 127.0.0.1:{free_port()}",
        "listen 443": f"listen 127.0.0.1:{public}",
        "hub.example.org {": f"https://127.0.0.1:{public} {{",
        "hub.example.org;": "127.0.0.1;",
        "# tls ": "tls ",
    }
    if path != "/":
        names |= {"location /": f"location {path}", "handle {": f"handle {path}* {{"}
    shipped = {"nginx": "nginx.conf", "caddy": "Caddyfile"}[proxy]
    text = (ROOT / "deploy" / shipped).read_text()
    for before, after in changes.items():
        assert before in text
        text = text.replace(before, after)
    site.write_text(_named(text, names))
    user = "user root;" if os.geteuid() == 0 else ""
    around = _NGINX if proxy == "nginx" else _CADDY
    main.write_text(around.format(folder=folder, site=site, user=user))
    arguments = {
        "nginx": ["-e", str(folder / "error.log"), "-c", str(main)],
        "caddy": ["run", "--adapter", "caddyfile", "--config", str(main)],
    }[proxy]
    program = _program(proxy)
    assert program, f"{proxy} is not installed: .ci/proxies"
    own = {name: str(folder) for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME")}
    with (folder / f"{proxy}.log").open("w") as log:
        command = [program, *arguments]
        running = subprocess.Popen(command, env={**os.environ, **own}, stderr=log)
        try:
            yield
        finally:
            running.terminate()
            running.wait(60)


def _named(text: str, names: dict[str, object]) -> str:
    """Return a shipped file with names replaced outside its comments."""
    lines = []
    for line in text.splitlines():
        is_comment = line.startswith("#")
        for name, value in {} if is_comment else names.items():
            line = line.replace(name, str(value))
        lines.append(line)
    return "\n".join(lines)


def _certified(folder: Path) -> ssl.SSLContext:
    """Write a certificate for loopback and its key; return what trusts it alone."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "a test")])
    loopback = x509.IPAddress(ip_address("127.0.0.1"))
    made: Any = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(datetime(2000, 1, 1, tzinfo=UTC))
        .not_valid_after(datetime(2100, 1, 1, tzinfo=UTC))
        .add_extension(x509.SubjectAlternativeName([loopback]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem = folder / "hub.pem"
    pem.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    (folder / "hub.key").write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return ssl.create_default_context(cafile=str(pem))
