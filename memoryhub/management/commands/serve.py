"""``memoryhub serve``: dashboard, live stream, hooks, watcher and worker together."""

from __future__ import annotations

import errno
import logging
import os
import signal
import socket
import sys
import threading
import time
from argparse import BooleanOptionalAction
from collections.abc import Callable
from contextlib import ExitStack, suppress
from datetime import timedelta
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import uvicorn
from django.conf import settings
from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from memoryhub.backups.schedule import Schedule
from memoryhub.backups.taking import Wish
from memoryhub.database.schema import hub_source
from memoryhub.formats.secrets.detection import prepare
from memoryhub.hooks.listener import Listener
from memoryhub.journal.models import Workspace
from memoryhub.management.command import HubCommand
from memoryhub.management.commands.backup import given_passphrase
from memoryhub.management.commands.watch import import_line
from memoryhub.management.dashboard import (
    has_browser,
    link_to,
    open_browser,
)
from memoryhub.management.serving import run_command
from memoryhub.notices.services import enqueue_waiting, webhook
from memoryhub.people.services.local_token import local_token
from memoryhub.people.services.sign_in import STARTED
from memoryhub.people.sites import is_loopback
from memoryhub.runtime import error_reports
from memoryhub.runtime.live import live_stream
from memoryhub.runtime.local_work import LOCAL, tidy
from memoryhub.runtime.memory import bound_memory, give_back
from memoryhub.runtime.metrics import CountingErrors
from memoryhub.runtime.notifier import POSTING, Notifier
from memoryhub.runtime.serving.connections import IDLE_SECONDS, BoundedProtocol
from memoryhub.runtime.worker import Worker, background_thread
from memoryhub.sync.engine import SyncReport
from memoryhub.sync.scan.watcher import Watcher
from memoryhub.timeline.counting import keep_counting
from memoryhub.web.kit.served import noted

#: Seconds that open requests and a running import get to end.
_GRACE = 1
#: Seconds after which a server that is told to end is gone, whatever still runs: all
#: that is written is written in transactions.
_DEADLINE = 3.5
#: Thread switch interval in seconds.
_TURN_SECONDS = 0.001
_IMPORT_GRACE = 1.0
#: Proxies whose X-Forwarded headers count where no setting names them.
_HERE = ["127.0.0.1", "::1"]
_ALL, _AGENTS = "memoryhub.asgi:application", "memoryhub.asgi:for_agents_alone"
_OTHERS = (
    "other computers reach {host}, and nobody can sign in from there: use --host"
    " 127.0.0.1, MEMORYHUB_TEAM=1 for people with accounts, --agents-only to serve REST"
    " and MCP to whoever has a token, or MEMORYHUB_URL for a hub behind a proxy"
)
_TRUSTS = (
    "MEMORYHUB_TRUST_LOOPBACK is set: whatever reaches this address may do everything,"
    " without signing in."
)


class Command(HubCommand):
    help = (
        "Serve the dashboard, import all workspaces and keep them up to date."
        " Ctrl-C ends it."
    )
    runs_on = True
    example = "memoryhub serve --open"
    # Its hook listener works off the spool.
    drains = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--host",
            default=settings.MEMORYHUB_HOST,
            help="address to listen on (default: %(default)s)",
        )
        parser.add_argument(
            "--port",
            type=int,
            default=settings.MEMORYHUB_PORT,
            help="port; 0 picks a free one (default: %(default)s)",
        )
        parser.add_argument(
            "--no-watch",
            action="store_true",
            help="import once at the start, then only with memoryhub sync",
        )
        parser.add_argument(
            "--open",
            action=BooleanOptionalAction,
            help="open the dashboard in a browser (default: on a desktop)",
        )
        parser.add_argument(
            "--agents-only",
            action="store_true",
            help="serve only REST and MCP, to clients with a token; --host may then"
            " be reachable from other computers",
        )

    def begins(self, options: dict[str, Any]) -> bool:
        return True

    def work(self, **options: Any) -> int:
        agents_only = options["agents_only"]
        if agents_only and settings.MEMORYHUB_TRUST_LOOPBACK:
            raise CommandError("MEMORYHUB_TRUST_LOOPBACK is set: unset it first")
        anywhere = agents_only or settings.MEMORYHUB_TEAM or settings.MEMORYHUB_URL
        listening = listen(options["host"], options["port"], anywhere=bool(anywhere))
        error_reports.start()
        local_token()
        with ExitStack() as running:
            if agents_only:
                settings.ALLOWED_HOSTS += [options["host"]]
                address = address_of(listening)
                self.say(
                    f"MemoryHub answers agents at {address}, by REST and MCP alone"
                )
                self.stdout.flush()
            else:
                address = settings.MEMORYHUB_URL or address_of(listening)
                self._lead(running, address, opens=options["open"])
            self._run(listening, options)
        return 0

    def _lead(self, running: ExitStack, address: str, *, opens: bool | None) -> None:
        """Print the dashboard's address with a sign-in link; open it in a browser."""
        running.enter_context(noted(Path(settings.MEMORYHUB_DATA), address))
        trusts = settings.MEMORYHUB_TRUST_LOOPBACK
        is_open = trusts or settings.MEMORYHUB_TEAM
        link = address if is_open else link_to(address, STARTED)
        self.say(f"MemoryHub is at {link}")
        if trusts:
            self.say(_TRUSTS)
        self.stdout.flush()
        if has_browser() if opens is None else opens:
            # The server is not running yet, but its socket queues connections.
            open_browser(link)

    def _run(self, listening: socket.socket, options: dict[str, Any]) -> None:
        """Serve with all background threads, until it is stopped."""
        bound_memory()
        logging.getLogger().addHandler(CountingErrors())
        stop = threading.Event()
        watcher = Watcher(stop, self._say_import)
        hooks = Listener(Path(settings.MEMORYHUB_DATA), stop, run_command)
        run = watcher.sync_all if options["no_watch"] else watcher.run
        worker = Worker(stop, LOCAL, tidy)
        work: dict[str, Callable[[], object]] = {
            "watcher": run,
            "worker": worker.run,
            "counting": partial(keep_counting, stop),
            "hooks": hooks.run,
            "secrets": prepare,
            "memory": partial(give_back, stop),
        }
        work["notifier"] = Notifier(stop).run
        if webhook():
            enqueue_waiting()
            work["webhook"] = Worker(stop, POSTING).run
        if settings.MEMORYHUB_BACKUP_HOURS:
            work["backups"] = planned_backups(stop).run
        threads = [background_thread(name, target) for name, target in work.items()]
        for thread in threads:
            thread.start()
        try:
            _serve(listening, _AGENTS if options["agents_only"] else _ALL)
        finally:
            stop.set()
            until = time.monotonic() + _IMPORT_GRACE
            for thread in threads:
                thread.join(max(0.0, until - time.monotonic()))
            error_reports.finish()

    def _say_import(self, workspace: Workspace, report: SyncReport) -> None:
        if not report.is_empty or report.held:
            self.say(import_line(workspace, report))
            self.stdout.flush()


class _Server(uvicorn.Server):
    """A server that ends live streams first, which would delay the shutdown."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        late = threading.Timer(_DEADLINE, os._exit, (0,))
        late.daemon = True
        late.start()
        super().handle_exit(sig, frame)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        live_stream().close()
        await super().shutdown(sockets)


def planned_backups(stop: threading.Event) -> Schedule:
    """Return the schedule of backups from the settings.

    Raises:
        CommandError: the passphrase's file cannot be read.
    """
    wish = Wish(
        Path(settings.MEMORYHUB_BACKUP_DIR),
        given_passphrase(None),
        settings.MEMORYHUB_BACKUP_KEEP,
    )
    every = timedelta(hours=settings.MEMORYHUB_BACKUP_HOURS)
    return Schedule(stop, hub_source(), wish, every, timezone.now)


def listen(host: str, port: int, *, anywhere: bool = False) -> socket.socket:
    """Return a listening socket.

    Raises:
        CommandError: the port is taken, the address is not of this machine, or it is
            not a loopback one and `anywhere` is false.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        if not anywhere and not is_loopback(listening.getsockname()[0]):
            raise CommandError(_OTHERS.format(host=host))
        listening.listen()
    except (OSError, OverflowError) as error:
        listening.close()
        raise CommandError(_reason(error, host, port)) from error
    except CommandError:
        listening.close()
        raise
    return listening


def address_of(listening: socket.socket) -> str:
    """Return the URL for a browser on this machine."""
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


def _serve(listening: socket.socket, application: str) -> None:
    config = uvicorn.Config(
        application,
        http=BoundedProtocol,
        ws="none",
        log_config=None,
        log_level="warning",
        access_log=False,
        server_header=False,
        forwarded_allow_ips=settings.MEMORYHUB_TRUSTED_PROXIES or _HERE,
        timeout_keep_alive=IDLE_SECONDS,
        timeout_graceful_shutdown=_GRACE,
    )
    # A page thread waits for the GIL many times, behind each computing thread.
    sys.setswitchinterval(_TURN_SECONDS)
    # uvicorn raises the signal again once it has ended: SIGTERM ends as Ctrl-C does.
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, signal.default_int_handler)
    with suppress(KeyboardInterrupt):
        _Server(config).run([listening])
