"""Real processes that start warm: forked from one that has loaded the program.

Starting Python, Django and MemoryHub takes a second of a processor, and the tests do it
hundreds of times. `python` returns a command for `subprocess` that does what
``sys.executable`` does with the same arguments: a process of its own, with the given
environment, folder, mask and files, which reads its settings anew and ends with the
same code. The process that `subprocess` starts passes signals on; when it is killed, so
is the other one, a moment later.

What is about starting itself, about limits of a process, or about the very moment of a
SIGKILL starts cold, with ``sys.executable``.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import io
import json
import os
import pkgutil
import runpy
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from tests.clock import follow

_ROOT = Path(__file__).parents[1]
_VARIABLE = "MEMORYHUB_TESTS_WARM"
#: Hands its files over, passes signals on, and ends as the other process did.
_CLIENT = """
import json, os, signal, socket, sys
server = socket.socket(socket.AF_UNIX)
server.connect(sys.argv[1])
mask = os.umask(0)
os.umask(mask)
told = [sys.argv[2:], os.getcwd(), dict(os.environ), mask]
told = json.dumps(told).encode()
socket.send_fds(server, [len(told).to_bytes(4)], [0, 1, 2])
server.sendall(told)
for name in ("SIGTERM", "SIGINT", "SIGHUP"):
    passed_on = lambda number, frame: server.send(bytes([number]))
    signal.signal(getattr(signal, name), passed_on)
status = int(server.recv(16) or 9)
if os.WIFSIGNALED(status):
    if os.WTERMSIG(status) != signal.SIGKILL:
        signal.signal(os.WTERMSIG(status), signal.SIG_DFL)
    os.kill(os.getpid(), os.WTERMSIG(status))
os._exit(os.waitstatus_to_exitcode(status))
"""


def python(*arguments: object) -> list[str]:
    """Return a command that does what Python does with these arguments."""
    return [sys.executable, "-ISc", _CLIENT, _address(), *map(str, arguments)]


@cache
def _address() -> str:
    """Start the process that others are forked from; return where it listens.

    Processes that were forked from it fork theirs from the same one.
    """
    if address := os.environ.get(_VARIABLE):
        return address
    os.environ[_VARIABLE] = address = f"{tempfile.mkdtemp(prefix='warm-')}/socket"
    started = subprocess.Popen(
        [sys.executable, "-m", "tests.warm", address],
        cwd=_ROOT,
        env={**os.environ, "MEMORYHUB_DATA": str(Path(address).parent / "data")},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        process_group=0,
    )
    assert started.stdin is not None and started.stdout is not None
    assert started.stdout.readline() == b"ready\n"
    started.stdout.close()
    # It ends when its standard input does, thus with the tests.
    atexit.register(started.wait)
    atexit.register(started.stdin.close)
    return address


def main(address: str) -> None:
    """Fork a process for every client, until the standard input ends."""
    _load()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen(64)
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        client = _forked_for(listener)
    if client is None:
        shutil.rmtree(Path(address).parent)
    else:
        _between(client)


def _load() -> None:
    """Load what commands and servers load, without opening a hub."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryhub.settings")
    import django

    django.setup()
    from django.conf import settings
    from django.utils.module_loading import import_string

    from memoryhub import runtime
    from memoryhub.management import commands
    from memoryhub.runtime import serving

    importlib.import_module(settings.ROOT_URLCONF)
    importlib.import_module("memoryhub.api.urls")
    importlib.import_module("django.core.management.commands.shell")
    for name in settings.MIDDLEWARE:
        import_string(name)
    for package in (commands, runtime, serving):
        for module in pkgutil.iter_modules(package.__path__):
            importlib.import_module(f"{package.__name__}.{module.name}")
    _prepare()
    gc.freeze()


def _prepare() -> None:
    """Make what a server makes at its first pages, and what no setting changes.

    These are patterns of addresses, templates, what models know of their columns, and
    the scanner of secrets, which has no thread and takes half a second.
    """
    from django.apps import apps
    from django.contrib.auth.hashers import PBKDF2PasswordHasher
    from django.template import engines
    from django.urls import reverse

    from memoryhub.database import write_turns
    from memoryhub.formats.secrets import detection
    from memoryhub.settings import BASE_DIR

    # A busy machine may hold a lock for long: no write is given up meanwhile.
    write_turns.PATIENCE = 300.0
    # A million rounds take half a second, whoever signs in.
    PBKDF2PasswordHasher.iterations = 1_000
    detection.prepare()
    reverse("home")
    folder = BASE_DIR / "templates"
    for file in folder.rglob("*.html"):
        engines["django"].get_template(str(file.relative_to(folder)))
    for model in apps.get_models():
        str(model._default_manager.all().query)


def _forked_for(listener: socket.socket) -> socket.socket | None:
    """Return the client in the process that was forked for it; None at the end."""
    with selectors.DefaultSelector() as ready:
        ready.register(sys.stdin, selectors.EVENT_READ)
        ready.register(listener, selectors.EVENT_READ)
        while all(key.fileobj is listener for key, _ in ready.select()):
            with suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
            client, _ = listener.accept()
            if not os.fork():
                return client
            client.close()
    return None


def _between(client: socket.socket) -> None:
    """Fork what a client asks for; pass signals on to it, and how it ended back."""
    size, files, _, _ = socket.recv_fds(client, 4, 3)
    told = client.recv(int.from_bytes(size), socket.MSG_WAITALL)
    arguments, folder, environment, mask = json.loads(told)
    child = os.fork()
    if not child:
        client.close()
        os.umask(mask)
        _end_as(lambda: _become(arguments, folder, environment, files))
    for file in files:
        os.close(file)
    with selectors.DefaultSelector() as ready:
        ready.register(client, selectors.EVENT_READ)
        ready.register(os.pidfd_open(child), selectors.EVENT_READ)
        while all(key.fileobj is client for key, _ in ready.select()):
            # A client that is gone was killed.
            number = int.from_bytes(client.recv(1)) or signal.SIGKILL
            os.kill(child, number)
            if number == signal.SIGKILL:
                break
    _, status = os.waitpid(child, 0)
    with suppress(OSError):
        client.send(b"%d" % status)
    os._exit(0)


def _end_as(run: Callable[[], None]) -> None:
    """Run; then end as Python does, but leave all memory to the system.

    Python would go through it, and thereby copy what it shares with the parent.
    """
    status = 1
    try:
        run()
        status = 0
    except SystemExit as ended:
        if isinstance(ended.code, str):
            sys.stderr.write(f"{ended.code}\n")
        else:
            status = ended.code or 0
    except Exception:
        traceback.print_exc()
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        status = 120
    os._exit(status)


def _become(
    arguments: list[str], folder: str, environment: dict[str, str], files: list[int]
) -> None:
    """Be what Python is with these arguments, in a folder and an environment."""
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115
    sys.stdout, sys.stderr = (
        _output(1, environment),
        _output(2, {"PYTHONUNBUFFERED": "1"}),
    )
    os.environ.clear()
    os.environ.update(environment)
    follow()
    os.chdir(folder)
    _forget_settings()
    how, *rest = arguments
    sys.argv = ["-c", *rest[1:]] if how == "-c" else rest
    if how == "-c":
        exec(rest[0], {"__name__": "__main__"})
    elif how == "-m":
        runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
    else:
        sys.argv = arguments
        runpy.run_path(how, run_name="__main__")


def _output(number: int, environment: dict[str, str]) -> io.TextIOWrapper:
    unbuffered = bool(environment.get("PYTHONUNBUFFERED"))
    raw: Any = open(number, "wb", 0 if unbuffered else -1, closefd=False)  # noqa: SIM115
    return io.TextIOWrapper(raw, "utf-8", write_through=unbuffered)


def _forget_settings() -> None:
    """Have settings, and what was made of them, read from the environment again."""
    from django.conf import settings
    from django.db import connections
    from django.template import engines
    from django.utils.functional import empty

    sys.modules.pop("memoryhub.settings")
    settings._wrapped = empty
    if os.environ.get("MEMORYHUB_DEBUG"):
        # Templates of a debugging hub note their lines.
        engines.__init__()  # type: ignore[misc]
        engines.__dict__.pop("templates", None)
    connections.__dict__.pop("settings", None)
    connections.__init__()  # type: ignore[misc]


if __name__ == "__main__":
    main(sys.argv[1])
