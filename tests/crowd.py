"""Who works in a workspace at once, each a process: ``python -m tests.crowd``.

Arguments: a role (agents, appending or editing), how many seconds, and what it needs.
Prints as JSON what was acknowledged: lines of text, by who wrote them, in order.
"""

from __future__ import annotations

import http.client
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import django

ROOT = Path(__file__).parents[1]
SLUG, DAY = "shop", "2026-11-20"
#: Logs that agents append to.
_DAYS = (DAY, "2026-11-19")
#: Which topics agents save to: everybody's, and a few that some share.
_TOPICS = ("everybody", "some-1", "some-2", "some-3")

#: A tool, its fields, and the lines that stand in the workspace when it is done.
Act = tuple[str, Mapping[str, Any], tuple[str, ...]]
#: The HTTP status, or 200, and what was answered.
Answer = tuple[int, Any]
Door = Callable[[str, str, str, Mapping[str, Any]], Answer]


def main(arguments: list[str]) -> int:
    role, seconds, *rest = arguments
    end = time.monotonic() + float(seconds)
    roles: dict[str, Callable[..., dict[str, Any]]] = {
        "agents": _agents,
        "appending": _appending,
        "editing": _editing,
    }
    json.dump(roles[role](end, *rest), sys.stdout)
    return 0


def _agents(end: float, door: str, first: str, count: str, port: str) -> dict[str, Any]:
    """Let agents call tools, each in a thread."""
    doors: dict[str, Door] = {"cli": _by_command, "direct": _directly}
    if door == "direct":
        os.environ["DJANGO_SETTINGS_MODULE"] = "memoryhub.settings"
        django.setup()
    ask = doors.get(door) or _rest(int(port))
    names = [f"agent-{int(first) + n:02d}" for n in range(int(count))]
    with ThreadPoolExecutor(len(names)) as pool:
        told = list(pool.map(lambda name: _lived(name, ask, end), names))
    return {
        "written": {name: lines for name, (lines, _) in zip(names, told, strict=True)},
        "refused": [refusal for _, refused in told for refusal in refused],
    }


def _lived(name: str, ask: Door, end: float) -> tuple[list[str], list[Any]]:
    chance = random.Random(name)
    acts = _acts(name, chance)
    written: list[str] = []
    refused: list[Any] = []
    while time.monotonic() < end:
        tool, fields, lines = next(acts)
        status, said = ask(name, f"{name}-{lines or time.time_ns()}", tool, fields)
        if status == 200 and not said.get("failed"):
            written += lines
        else:
            refused.append([status, tool, said])
        time.sleep(chance.random() / 50)
    return written, refused


def _acts(name: str, chance: random.Random) -> Iterator[Act]:
    step = 0
    while True:
        step += 1
        topic = chance.choice(_TOPICS)
        done, decided = f"{name} did {step:05d}", f"{name} decided {step:05d}"
        saved = {
            "action": "checkpoint",
            "topic": topic,
            "status": f"{name} is at {step}",
            "decisions": [f"{DAY}: {decided}"],
            "historyLine": f"{DAY}: {done}",
        }
        yield "context_snap", saved, (done, decided)
        noted = f"{name} noted {step:05d}"
        note = {"content": f"- {noted}\n", "day": chance.choice(_DAYS)}
        yield "memory_append", note, (noted,)
        yield chance.choice(_READING)
        kept = f"{name} wants {step:05d}"
        goal = {"goal": kept, "phase": "testing", "next_steps": ["Go on"]}
        yield "snapshot_save", goal, (kept,)
        yield chance.choice(_READING)


_READING: tuple[Act, ...] = (
    ("context_snap", {"action": "read", "topic": "everybody"}, ()),
    ("context_snap", {"action": "list"}, ()),
    ("snapshot_recall", {}, ()),
    ("memory_search", {"query": "noted", "max_results": 3}, ()),
    ("recall", {"topic": "everybody"}, ()),
    ("workspace_status", {}, ()),
)


def _rest(port: int) -> Door:
    token = Path(os.environ["MEMORYHUB_DATA"], "local.token").read_text().strip()

    def ask(name: str, key: str, tool: str, fields: Mapping[str, Any]) -> Answer:
        headers = {
            "authorization": f"Bearer {token}",
            "content-type": "application/json",
            "memoryhub-agent": name,
            "idempotency-key": key,
        }
        server = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        path = f"/api/v1/workspaces/{SLUG}/tools/{tool}"
        server.request("POST", path, json.dumps(fields), headers)
        response = server.getresponse()
        said = json.loads(response.read())
        server.close()
        return response.status, said.get("data", said)

    return ask


def _by_command(name: str, key: str, tool: str, fields: Mapping[str, Any]) -> Answer:
    named = [f"--workspace={SLUG}", f"--agent={name}", f"--key={key}", "--json"]
    line = [sys.executable, "manage.py", "tool", tool, *named]
    asked = [*line, f"--request={json.dumps(fields)}"]
    done = subprocess.run(asked, cwd=ROOT, capture_output=True, check=False)
    return 500 if done.returncode else 200, json.loads(done.stdout or "{}")


def _directly(name: str, key: str, tool: str, fields: Mapping[str, Any]) -> Answer:
    from memoryhub.people.access import Access
    from memoryhub.tools.calling import call, request_of
    from memoryhub.tools.registry import tool_named
    from memoryhub.web.kit.refusals import REFUSED, refusal_of

    asked = tool_named(tool)
    try:
        caller = Access(name).caller(SLUG, asked.scope, key=key)
        return 200, call(asked, caller, request_of(asked, fields)).model_dump()
    except REFUSED as error:
        return refusal_of(error).status, refusal_of(error).as_json()


def _appending(end: float, name: str, *paths: str) -> dict[str, Any]:
    """Append lines as a program does that knows nothing of the hub."""
    chance = random.Random(name)
    written: list[str] = []
    for step in range(1_000_000):
        if time.monotonic() > end:
            break
        line = f"{name} added {step:05d}"
        with Path(chance.choice(paths)).open("ab", buffering=0) as file:
            file.write(f"- {line}\n".encode())
        written.append(line)
        time.sleep(chance.random() / 20)
    return {"written": {name: written}}


def _editing(end: float, name: str, path: str) -> dict[str, Any]:
    """Read a file, think, and put a changed copy in its place, whatever it says now."""
    chance, place, saved = random.Random(name), Path(path), 0
    draft = place.with_name(f".{name}.tmp")
    while time.monotonic() < end:
        text = place.read_bytes()
        time.sleep(chance.random() / 10)
        saved += 1
        draft.write_bytes(text + f"- {name} edited {saved:05d}\n".encode())
        draft.replace(place)
        time.sleep(chance.random() / 2)
    return {"saved": saved}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
