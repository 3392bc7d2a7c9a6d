"""Messages to channels: each channel has a thread of its own while it sends."""

from __future__ import annotations

import logging
import threading

from django.db import connection
from django.utils import timezone

from memoryhub.notices.channels import send_to
from memoryhub.notices.deliveries import (
    begin,
    delivered,
    due_channels,
    not_delivered,
)
from memoryhub.notices.models import Channel
from memoryhub.notices.sending import NotSent, dismiss, prepare
from memoryhub.runtime.channel_texts import message_of

#: Most channels that send at a time, and most of these whose last attempt failed.
_AT_ONCE, _FAILING = 8, 4
#: Seconds for which a stopping hub waits for messages on their way.
_GRACE = 5.0
_log = logging.getLogger(__name__)


class Postman:
    """Sends due messages without waiting for any channel.

    A channel sends one message at a time. Channels that fail use half of the threads
    at most, so that they never keep the others waiting.
    """

    def __init__(self) -> None:
        self._running: dict[int, threading.Thread] = {}

    def look(self) -> int:
        """Start sending due messages; return the number of channels."""
        self._running = {
            key: thread for key, thread in self._running.items() if thread.is_alive()
        }
        if not Channel.objects.filter(paused=False).exists():
            return 0
        prepare()
        due = [key for key in due_channels(timezone.now()) if key not in self._running]
        if not due:
            return 0
        active = [*self._running, *due]
        rows = Channel.objects.filter(pk__in=active, failures__gt=0)
        failing = set(rows.values_list("pk", flat=True))
        begun = 0
        for key in due:
            busy = len(failing & self._running.keys())
            if len(self._running) < _AT_ONCE and (
                key not in failing or busy < _FAILING
            ):
                self._start(key)
                begun += 1
        return begun

    def finish(self, seconds: float = _GRACE) -> None:
        """Wait for messages on their way, each for a number of seconds at most."""
        for thread in self._running.values():
            thread.join(seconds)
        dismiss()

    def _start(self, key: int) -> None:
        thread = threading.Thread(
            target=_send_in_thread, args=(key,), name=f"channel {key}", daemon=True
        )
        self._running[key] = thread
        thread.start()


def send_due(channel: int) -> bool:
    """Send a channel's due notices as one message; return whether it arrived."""
    batch = begin(channel, timezone.now())
    if batch is None:
        return False
    try:
        send_to(batch.channel, message_of(batch, timezone.now()))
    except NotSent:
        not_delivered(batch, timezone.now())
        return False
    delivered(batch, timezone.now())
    return True


def _send_in_thread(channel: int) -> None:
    try:
        send_due(channel)
    except Exception:  # the database may be busy or being replaced
        _log.exception("cannot send to channel %s", channel)
    finally:
        connection.close()
