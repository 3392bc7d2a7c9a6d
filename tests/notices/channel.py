"""A channel to a receiver on this machine, and what it got."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from django.utils import timezone

from memoryhub.notices.channels import Rules, add_channel
from memoryhub.notices.models import Channel, Delivery
from memoryhub.people.models import User
from memoryhub.people.policy import operator
from tests.notices.receiver import Receiver, receiver

BASE = "http://localhost:8765/"


class Chat:
    """A chat at a receiver: its address, and the texts that came."""

    def __init__(self, got: Receiver) -> None:
        self.receiver = got
        self.address = got.url.replace("http", "json", 1)

    @property
    def titles(self) -> list[str]:
        return [json.loads(one.body)["title"] for one in self.receiver.got]

    @property
    def texts(self) -> list[str]:
        return [json.loads(one.body)["message"] for one in self.receiver.got]


@contextmanager
def chat() -> Iterator[Chat]:
    """Have a chat while the block lasts."""
    with receiver() as found:
        yield Chat(found)


def channel_to(
    address: str, name: str = "Phone", *, of: User | None = None, **rules: object
) -> Channel:
    """Make a channel, by default of the operator, that sends everything at once."""
    found = Rules(**rules)  # type: ignore[arg-type]
    return add_channel(of or operator(), name, address, BASE, found)


def make_due() -> None:
    """Have all waits of channels and deliveries, and all leases, be over."""
    past = timezone.now() - timedelta(seconds=1)
    Channel.objects.filter(next_at__isnull=False).update(next_at=past)
    Delivery.objects.update(due_at=past)
    Delivery.objects.filter(lease_until__isnull=False).update(lease_until=past)
