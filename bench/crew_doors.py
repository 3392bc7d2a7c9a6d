"""Other ways than REST by which an agent of a simulated crew reaches the hub."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlencode

from bench.crew_calls import Call, Client, Fields
from bench.crew_hub import Place

_HOOK = Path(__file__).parents[1] / "memoryhub/hooks/client.py"
_ID = re.compile(r"\b(?:\d{8}-\d{2,}|race-\d{5})\b")
#: Seconds after which a host gives a hook up.
_PATIENCE = 30.0
_REFUSED, _BUSY = 409, 503


class McpClient(Client):
    """An agent that calls its tools by MCP over HTTP; it reads records by REST."""

    def _send(self, connection: HTTPConnection, call: Call) -> None:
        query = urlencode({"workspace": self._slug, "agent": self._agent})
        params = {
            "name": call.tool,
            "arguments": call.request,
            "_meta": {"memoryhub/key": call.key},
        }
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        headers = self._headers("") | {
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": "2025-06-18",
        }
        del headers["MemoryHub-Agent"]
        connection.request("POST", f"/mcp?{query}", json.dumps(body), headers)

    def _read(self, connection: HTTPConnection) -> tuple[int, Fields]:
        response = connection.getresponse()
        body = response.read()
        try:
            result = json.loads(body)["result"]
        except (ValueError, KeyError):
            return response.status if response.status != 200 else 500, {
                "code": body[:200].decode(errors="replace")
            }
        if result.get("isError"):
            error: Fields = result["_meta"]["memoryhub/error"]
            return (_BUSY if "retry_after" in error["details"] else _REFUSED), error
        fields: Fields = result["structuredContent"]
        return 200, fields


def heard_by_hook(place: Place, slug: str, agent: str) -> set[str]:
    """Return the ids that the hook before a prompt names to an agent."""
    event = {
        "hook_event_name": "UserPromptSubmit",
        "session_id": f"session-of-{agent}",
        "cwd": str(place.folder / slug),
        "prompt": "Go on.",
    }
    options = ("--workspace", slug, "--agent", agent, "--data", str(place.data))
    done = subprocess.run(
        [sys.executable, "-S", "-E", str(_HOOK), "UserPromptSubmit", *options],
        input=json.dumps(event),
        capture_output=True,
        text=True,
        timeout=_PATIENCE,
        check=True,
    )
    return set(_ID.findall(done.stdout))
