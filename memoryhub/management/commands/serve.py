"""``memoryhub serve``: dashboard, live stream, hooks, watcher and worker together."""

from __future__ import annotations

import errno
import socket
import threading
import webbrowser
from contextlib import suppress
from pathlib import Path
from typing import Any

import uvicorn
from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from memoryhub.hooks.listener import Listener
from memoryhub.jobs.local_work import LOCAL, tidy
from memoryhub.jobs.worker import Worker
from memoryhub.live import live_stream
from memoryhub.management.beside import beside
from memoryhub.management.command import HubCommand
from memoryhub.management.commands.watch import import_line
from memoryhub.notices.services import webhook
from memoryhub.notices.teller import Teller
from memoryhub.serving.connections import BoundedProtocol
from memoryhub.sync.engine import SyncReport
from memoryhub.sync.watcher import Watcher
from memoryhub.workspaces.models import Workspace

#: How long open requests and an import under way may take to end, in seconds.
_GRACE = 1
_IMPORT_GRACE = 0.3


class Command(HubCommand):
    help = (
        "Serve the dashboard, import all workspaces and keep them imported."
        " One process; Ctrl-C ends it."
    )
    example = "memoryhub serve --open"
    # Its listener does, beside the pages.
    drains = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--host",
            default=settings.MEMORYHUB_HOST,
            help="the address to listen on (default: %(default)s)",
        )
        parser.add_argument(
            "--port",
            type=int,
            default=settings.MEMORYHUB_PORT,
            help="the port, 0 for a free one (default: %(default)s)",
        )
        parser.add_argument(
            "--no-watch",
            action="store_true",
            help="import once at the start, then only by memoryhub sync",
        )
        parser.add_argument(
            "--open", action="store_true", help="open the dashboard in a browser"
        )

    def work(self, **options: Any) -> int:
        listening = listen(options["host"], options["port"])
        address = address_of(listening)
        self.say(f"MemoryHub is at {address}")
        self.stdout.flush()
        stop = threading.Event()
        watcher = Watcher(stop, self._say_import)
        hooks = Listener(Path(settings.MEMORYHUB_DATA), stop)
        run = watcher.sync_all if options["no_watch"] else watcher.run
        worker = Worker(stop, LOCAL, tidy)
        work = {"watcher": run, "worker": worker.run, "hooks": hooks.run}
        if webhook():
            work["teller"] = Teller(stop).run
        threads = [beside(name, target) for name, target in work.items()]
        for thread in threads:
            thread.start()
        if options["open"]:
            webbrowser.open(address)
        try:
            _serve(listening)
        finally:
            stop.set()
            for thread in threads:
                thread.join(_IMPORT_GRACE)
        return 0

    def _say_import(self, workspace: Workspace, report: SyncReport) -> None:
        self.say(import_line(workspace, report))
        self.stdout.flush()


class _Server(uvicorn.Server):
    """A server that ends the live streams first: pages would hold them for ever."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        live_stream().close()
        await super().shutdown(sockets)


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens there.

    Raises:
        CommandError: the port is taken, or the address is not of this machine.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen()
    except (OSError, OverflowError) as error:
        listening.close()
        raise CommandError(_reason(error, host, port)) from error
    return listening


def address_of(listening: socket.socket) -> str:
    """Return the address that a browser on this machine opens."""
    host, port = listening.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{port}/"


def _reason(error: Exception, host: str, port: int) -> str:
    if getattr(error, "errno", 0) == errno.EADDRINUSE:
        return (
            f"port {port} is taken: end the program that has it,"
            f" or memoryhub serve --port {port + 1}"
        )
    return f"cannot listen on {host} port {port}: {error}"


def _serve(listening: socket.socket) -> None:
    config = uvicorn.Config(
        "memoryhub.asgi:application",
        http=BoundedProtocol,
        ws="none",
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_GRACE,
    )
    with suppress(KeyboardInterrupt):
        _Server(config).run([listening])
