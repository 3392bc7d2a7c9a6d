"""The spool: in order, once, and nothing is lost where something cannot be done."""

from __future__ import annotations

from pathlib import Path

import pytest

from memoryhub.hooks.client import Frame, keep
from memoryhub.hooks.spool import NotNow, Spool, put_aside


def frame(number: int, body: str) -> Frame:
    parts = dict.fromkeys(("event", "folder", "workspace", "agent"), b"")
    key = f"{number:032x}"
    return {
        **parts,
        "key": key.encode(),
        "at_ns": str(number).encode(),
        "body": body.encode(),
    }


class Hub:
    """Does events, except those it was told to be unable to do."""

    def __init__(self) -> None:
        self.done: list[bytes] = []
        self.busy = False

    def do(self, frame: Frame) -> None:
        if self.busy:
            raise NotNow("the database is busy")
        if frame["body"] == b"bad":
            raise ValueError("no such\nworkspace")
        self.done.append(frame["body"])


@pytest.fixture
def hub() -> Hub:
    return Hub()


def test_what_waits_is_done_in_order_and_once(tmp_path: Path, hub: Hub) -> None:
    for number, body in ((3, "c"), (1, "a"), (2, "b")):
        keep(frame(number, body), str(tmp_path))
    spool = Spool(tmp_path, hub.do)

    assert spool.deliver() == 3
    assert spool.deliver() == 0
    assert hub.done == [b"a", b"b", b"c"]


def test_what_cannot_be_done_is_put_aside_with_its_reason(
    tmp_path: Path, hub: Hub
) -> None:
    for number, body in ((1, "bad"), (2, "b")):
        keep(frame(number, body), str(tmp_path))

    Spool(tmp_path, hub.do).deliver()

    assert hub.done == [b"b"]
    (told,) = put_aside(tmp_path)
    assert told.endswith("no such workspace")


def test_while_the_hub_is_busy_events_wait_in_order(tmp_path: Path, hub: Hub) -> None:
    spool, hub.busy = Spool(tmp_path, hub.do), True
    for number, body in ((1, "a"), (2, "b")):
        keep(frame(number, body), str(tmp_path))

    assert spool.deliver() == 0
    hub.busy = False
    assert spool.deliver() == 2
    assert hub.done == [b"a", b"b"]


def test_an_event_that_is_still_being_written_is_left_alone(
    tmp_path: Path, hub: Hub
) -> None:
    (tmp_path / "spool").mkdir()
    (tmp_path / "spool/.00000000000000000001-half").write_bytes(b"memory")

    assert Spool(tmp_path, hub.do).deliver() == 0


def test_a_file_that_is_no_event_is_put_aside(tmp_path: Path, hub: Hub) -> None:
    (tmp_path / "spool").mkdir()
    (tmp_path / "spool/00-stray").write_bytes(b"not ours")

    assert Spool(tmp_path, hub.do).deliver() == 1
    assert "not a frame" in put_aside(tmp_path)[0]
