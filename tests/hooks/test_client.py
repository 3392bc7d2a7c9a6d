"""The thin client of hooks, run as hosts run it: a process of its own, no server."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from memoryhub.formats.injection import wrap_quoted
from memoryhub.hooks import client
from memoryhub.hooks.client import SPOOL, encoded, frame_from

#: As `memoryhub install` writes it: without site-packages, which take time to find.
PROGRAM = [sys.executable, "-S", "-E", client.__file__]
KEY = "agent:main:telegram:1"


def hook(
    data: Path, event: str, said: object, *options: str, folder: Path | None = None
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [*PROGRAM, event, *options],
        input=json.dumps(said).encode(),
        capture_output=True,
        cwd=folder or data,
        env={**os.environ, "MEMORYHUB_DATA": str(data)},
        check=False,
    )


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    memory = folder / "memory"
    memory.mkdir(parents=True)
    (memory / "context-session-map.json").write_text(json.dumps({KEY: "pay"}))
    (memory / "context-pay.md").write_text("# pay\n\n## Current Status\nHalf.\n")
    return folder


def test_an_event_is_kept_for_the_server_to_come(tmp_path: Path) -> None:
    done = hook(tmp_path, "before_reset", {"ctx": {"sessionKey": KEY}})

    (kept,) = (tmp_path / SPOOL).iterdir()
    frame = frame_from(kept.read_bytes())
    assert done.returncode == 0
    assert b"is kept" in done.stderr
    assert frame["event"] == b"before_reset"
    assert json.loads(frame["body"]) == {"ctx": {"sessionKey": KEY}}


@pytest.mark.parametrize("options", [("--agent", "qa=1"), ("--agent=qa=1",)])
def test_options_are_written_as_for_any_command(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    hook(tmp_path, "Stop", {}, *options)

    (kept,) = (tmp_path / SPOOL).iterdir()
    assert frame_from(kept.read_bytes())["agent"] == b"qa=1"


def test_what_is_kept_is_for_its_owner_alone(tmp_path: Path) -> None:
    hook(tmp_path, "Stop", {})

    (kept,) = (tmp_path / SPOOL).iterdir()
    assert kept.stat().st_mode & 0o777 == 0o600
    assert (tmp_path / SPOOL).stat().st_mode & 0o777 == 0o700


def test_kept_events_sort_by_the_time_they_happened(tmp_path: Path) -> None:
    for reason in ("one", "two", "three"):
        hook(tmp_path, "SessionEnd", {"reason": reason})

    kept = [path.read_bytes() for path in sorted((tmp_path / SPOOL).iterdir())]
    said = [json.loads(frame_from(data)["body"])["reason"] for data in kept]
    assert said == ["one", "two", "three"]


def test_a_bound_topic_is_read_from_the_files(project: Path, tmp_path: Path) -> None:
    ctx = {"sessionKey": KEY, "workspaceDir": str(project)}
    done = hook(tmp_path, "before_prompt_build", {"ctx": ctx})

    text = (project / "memory/context-pay.md").read_text()
    assert json.loads(done.stdout) == {"appendSystemContext": wrap_quoted(text)}


@pytest.mark.parametrize("trigger", ["cron", "heartbeat"])
def test_a_run_without_a_person_is_given_nothing(
    project: Path, tmp_path: Path, trigger: str
) -> None:
    ctx = {"sessionKey": KEY, "workspaceDir": str(project), "trigger": trigger}
    done = hook(tmp_path, "before_prompt_build", {"ctx": ctx})

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_claude_code_session_gets_its_projects_topic(
    project: Path, tmp_path: Path
) -> None:
    (project / "memory/context-shop.md").write_text("# shop\n")
    said = {"session_id": "s1", "cwd": str(project), "source": "compact"}
    done = hook(tmp_path, "SessionStart", said)

    output = json.loads(done.stdout)["hookSpecificOutput"]
    assert output["hookEventName"] == "SessionStart"
    assert "# shop" in output["additionalContext"]


def test_a_topic_that_is_a_link_out_of_the_project_is_not_read(
    project: Path, tmp_path: Path
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("hidden")
    (project / "memory/context-shop.md").symlink_to(secret)
    done = hook(tmp_path, "SessionStart", {"session_id": "s", "cwd": str(project)})

    assert (done.returncode, done.stdout) == (0, b"")


@pytest.mark.parametrize(
    ("event", "options", "body"),
    [
        ("Nothing", (), {}),
        ("Stop", ("--agent",), {}),
        ("SessionStart", (), ["no object"]),
    ],
)
def test_a_mistake_is_a_line_and_never_a_failure(
    tmp_path: Path, event: str, options: tuple[str, ...], body: object
) -> None:
    done = hook(tmp_path, event, body, *options)

    assert done.returncode == 0
    assert done.stderr.startswith(b"memoryhub: ")
    assert done.stderr.count(b"\n") == 1


def test_an_event_of_any_bytes_comes_through_whole() -> None:
    frame = dict.fromkeys(client.PARTS, b"x") | {"body": b"\0\xff\n\0"}

    assert frame_from(encoded(frame)) == frame


def test_another_versions_frame_is_refused() -> None:
    with pytest.raises(ValueError, match="not a frame"):
        frame_from(b"memoryhub-hook-9\0Stop")


@pytest.mark.usefixtures("machine_clock")
def test_the_client_loads_no_django_and_little_else() -> None:
    loaded = subprocess.run(
        [sys.executable, "-X", "importtime", client.__file__, "Nothing"],
        capture_output=True,
        text=True,
        check=True,
    ).stderr

    assert "django" not in loaded
    assert not {"json", "typing", "socket", "pathlib", "re"} & {
        line.rpartition("|")[2].strip()
        for line in loaded.splitlines()
        if line.startswith("import time:") and "site" not in line
    }


def test_without_a_server_few_dialects_are_loaded() -> None:
    code = "import memoryhub.hooks.files, sys; print(*sys.modules, sep='\\n')"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()

    assert "memoryhub.dialects.session_map" in loaded
    assert not {"django", "memoryhub.dialects.daily_log"} & {*loaded}
