"""A server in front of a hub that adds no header, as `proxy_pass` alone does."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit


@contextmanager
def forwarding(hub: str) -> Iterator[str]:
    """Give the address of a server that passes requests on to a hub."""
    behind = urlsplit(hub).netloc

    class Forward(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            # Nginx says the name that it was told to ask, and not who asked it.
            said = {**dict(self.headers.items()), "Host": behind, "Connection": "close"}
            with closing(HTTPConnection(behind, timeout=60)) as upstream:
                upstream.request(self.command, self.path, body, said)
                answer = upstream.getresponse()
                content = answer.read()
            self.send_response(answer.status)
            for name in ("Content-Type", "Location", "Set-Cookie", "WWW-Authenticate"):
                if name in answer.headers:
                    self.send_header(name, answer.headers[name])
            self.end_headers()
            self.wfile.write(content)

        do_POST = do_PUT = do_GET  # noqa: N815 - the names are the base class's

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Forward) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
