"""A small OpenID provider on this computer: codes, PKCE, ID tokens, userinfo."""

from __future__ import annotations

import base64
import json
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlencode, urlsplit

import jwt

CLIENT, SECRET = "memoryhub", "the-secret-of-the-client-is-long-enough"


@dataclass
class Provider:
    """The provider's address, who is signed in there, and what it was asked."""

    address: str = ""
    claims: dict[str, Any] = field(default_factory=dict)
    cancels: bool = False
    codes: dict[str, dict[str, str]] = field(default_factory=dict)
    tokens: set[str] = field(default_factory=set)
    faults: list[str] = field(default_factory=list)

    def settings(self) -> dict[str, str]:
        """Return the environment of a hub that uses it."""
        return {
            "MEMORYHUB_OIDC_URL": self.address,
            "MEMORYHUB_OIDC_CLIENT_ID": CLIENT,
            "MEMORYHUB_OIDC_CLIENT_SECRET": SECRET,
            "MEMORYHUB_OIDC_NAME": "Lodge",
        }

    def code_for(self, asked: dict[str, str]) -> str:
        """Return a code for a request to sign in."""
        if asked.get("code_challenge_method") != "S256" or not asked.get("state"):
            self.faults.append("no PKCE or no state")
        code = secrets.token_urlsafe(16)
        self.codes[code] = asked
        return code

    def exchange(self, sent: dict[str, str], basic: str) -> dict[str, Any] | None:
        """Return tokens for a code, once, with its verifier and the client's secret."""
        asked = self.codes.pop(sent.get("code", ""), None)
        verifier = sent.get("code_verifier", "").encode()
        digest = base64.urlsafe_b64encode(sha256(verifier).digest()).rstrip(b"=")
        known = sent.get("client_secret") == SECRET or basic == f"{CLIENT}:{SECRET}"
        if (
            asked is None
            or not known
            or digest.decode() != asked.get("code_challenge")
            or sent.get("redirect_uri") != asked.get("redirect_uri")
        ):
            self.faults.append("bad code, client, verifier or redirect")
            return None
        access = secrets.token_urlsafe(16)
        self.tokens.add(access)
        ends = int(time.time()) + 300
        claims = {"iss": self.address, "aud": CLIENT, "exp": ends, **self.claims}
        signed = jwt.encode(claims, SECRET, "HS256")
        return {"access_token": access, "token_type": "Bearer", "id_token": signed}


@contextmanager
def openid_provider() -> Iterator[Provider]:
    """Give a provider that runs."""
    provider = Provider()

    class Handler(_Handler):
        of = provider

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    provider.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    of: Provider

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        query = {name: each[0] for name, each in parse_qs(parts.query).items()}
        if parts.path == "/.well-known/openid-configuration":
            self._json(_configuration(self.of.address))
        elif parts.path == "/authorize":
            answer = {"state": query.get("state", "")}
            if self.of.cancels:
                answer["error"] = "access_denied"
            else:
                answer["code"] = self.of.code_for(query)
            self.send_response(302)
            self.send_header("Location", f"{query['redirect_uri']}?{urlencode(answer)}")
            self.end_headers()
        elif parts.path == "/userinfo":
            token = self.headers.get("Authorization", "").removeprefix("Bearer ")
            self._json(self.of.claims if token in self.of.tokens else None)
        else:
            self._json(None, 404)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        sent = {name: each[0] for name, each in parse_qs(body).items()}
        coded = self.headers.get("Authorization", "").removeprefix("Basic ")
        basic = unquote(base64.b64decode(coded).decode()) if coded else ""
        self._json(self.of.exchange(sent, basic))

    def log_message(self, *_: object) -> None:
        """Stay silent."""

    def _json(self, value: Any, refusal: int = 401) -> None:
        self.send_response(200 if value is not None else refusal)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(value or {}).encode())


def _configuration(address: str) -> dict[str, Any]:
    return {
        "issuer": address,
        "authorization_endpoint": f"{address}/authorize",
        "token_endpoint": f"{address}/token",
        "userinfo_endpoint": f"{address}/userinfo",
        "jwks_uri": f"{address}/jwks",
        "token_endpoint_auth_methods_supported": ["client_secret_post"],
    }
