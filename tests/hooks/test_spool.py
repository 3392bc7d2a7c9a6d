"""The spool: in order, once, and nothing is lost where something cannot be done."""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path

import pytest

from memoryhub.hooks.client import SPOOL, Frame, draft_name, encoded, spool_frame
from memoryhub.hooks.spool import (
    Delivered,
    HubHindered,
    NotNow,
    Spool,
    contents,
    drop_repeated,
    take_back,
)


def frame(number: int, body: str, workspace: str = "") -> Frame:
    parts = dict.fromkeys(("event", "folder", "agent"), b"")
    key = f"{number:032x}"
    return {
        **parts,
        "key": key.encode(),
        "at_ns": str(number).encode(),
        "workspace": workspace.encode(),
        "body": body.encode(),
    }


class Hub:
    """Does events, except those it was told to be unable to do."""

    def __init__(self) -> None:
        self.done: list[bytes] = []
        self.full: set[bytes] = set()
        self.locked = False

    def place_of(self, frame: Frame) -> str:
        return frame["workspace"].decode()

    def do(self, frame: Frame) -> None:
        if self.locked:
            raise HubHindered("database is locked")
        if frame["workspace"] in self.full:
            raise NotNow("no space left")
        if frame["body"] == b"bad":
            raise ValueError("no such\nworkspace")
        self.done.append(frame["body"])


@pytest.fixture
def hub() -> Hub:
    return Hub()


def left_behind(data: Path, event: Frame, size: int | None = None) -> Path:
    """Write a draft as a process leaves it that dies before the draft has its name."""
    whole = encoded(event)
    name = f"{int(event['at_ns']):020d}-{event['key'].decode()}"
    (data / SPOOL).mkdir(exist_ok=True)
    draft = data / SPOOL / draft_name(name, whole)
    draft.write_bytes(whole[:size])
    return draft


def long_ago(path: Path) -> None:
    os.utime(path, (time.time() - 3600,) * 2)


def test_what_waits_is_done_in_order_and_once(tmp_path: Path, hub: Hub) -> None:
    for number, body in ((3, "c"), (1, "a"), (2, "b")):
        spool_frame(frame(number, body), str(tmp_path))
    spool = Spool(tmp_path, hub)

    assert spool.deliver() == Delivered(3, 0, {})
    assert spool.deliver() == Delivered(0, 0, {})
    assert hub.done == [b"a", b"b", b"c"]


def test_what_cannot_be_done_is_put_aside_with_its_reason(
    tmp_path: Path, hub: Hub
) -> None:
    for number, body in ((1, "bad"), (2, "b")):
        spool_frame(frame(number, body), str(tmp_path))

    assert Spool(tmp_path, hub).deliver() == Delivered(1, 1, {})

    assert hub.done == [b"b"]
    assert list(contents(tmp_path).refused.values()) == ["no such workspace"]


def test_while_the_hub_is_hindered_events_wait_in_order(
    tmp_path: Path, hub: Hub
) -> None:
    spool, hub.locked = Spool(tmp_path, hub), True
    for number, body in ((1, "a"), (2, "b")):
        spool_frame(frame(number, body), str(tmp_path))

    assert spool.deliver() == Delivered(0, 0, {"": "database is locked"})
    hub.locked = False
    assert spool.deliver().done == 2
    assert hub.done == [b"a", b"b"]


def test_what_waits_holds_up_its_own_workspace_and_no_other(
    tmp_path: Path, hub: Hub
) -> None:
    spool, hub.full = Spool(tmp_path, hub), {b"shop"}
    for number, body, workspace in (
        (1, "a", "shop"),
        (2, "b", "blog"),
        (3, "c", "shop"),
    ):
        spool_frame(frame(number, body, workspace), str(tmp_path))

    assert spool.deliver() == Delivered(1, 0, {"shop": "no space left"})
    hub.full = set()
    assert spool.deliver().done == 2
    assert hub.done == [b"b", b"a", b"c"]


def test_what_waits_is_left_alone_for_a_while(tmp_path: Path, hub: Hub) -> None:
    spool, hub.full = Spool(tmp_path, hub, pause=3600), {b"shop"}
    spool_frame(frame(1, "a", "shop"), str(tmp_path))
    spool.deliver()
    hub.full = set()

    assert spool.deliver() == Delivered(0, 0, {"shop": "no space left"})
    assert Spool(tmp_path, hub).deliver().done == 1


def test_an_event_that_is_still_being_written_is_left_alone(
    tmp_path: Path, hub: Hub
) -> None:
    draft = left_behind(tmp_path, frame(1, "a"))
    long_ago(draft)
    with draft.open("rb") as writer:
        fcntl.flock(writer, fcntl.LOCK_EX)
        assert Spool(tmp_path, hub).deliver().done == 0

    assert draft.exists()
    assert len(contents(tmp_path).drafts) == 1


def test_a_complete_draft_that_was_left_behind_is_done(
    tmp_path: Path, hub: Hub
) -> None:
    left_behind(tmp_path, frame(1, "a"))

    assert Spool(tmp_path, hub).deliver().done == 1
    assert hub.done == [b"a"]


def test_a_draft_beside_the_whole_event_is_done_once(tmp_path: Path, hub: Hub) -> None:
    left_behind(tmp_path, frame(1, "a"))
    spool_frame(frame(1, "a"), str(tmp_path))

    assert Spool(tmp_path, hub).deliver().done == 1
    assert contents(tmp_path) == ((), (), {})


def test_a_draft_that_broke_off_is_reported(tmp_path: Path, hub: Hub) -> None:
    draft = left_behind(tmp_path, frame(1, '{"a": 1}'), -3)
    assert Spool(tmp_path, hub).deliver().put_aside == 0
    long_ago(draft)
    Spool(tmp_path, hub).deliver()

    (reason,) = contents(tmp_path).refused.values()
    assert "broke off" in reason
    assert take_back(tmp_path) == []


def test_what_broke_off_and_was_told_again_is_forgotten(
    tmp_path: Path, hub: Hub
) -> None:
    long_ago(left_behind(tmp_path, frame(1, "{}"), -1))
    Spool(tmp_path, hub).deliver()

    drop_repeated(tmp_path, lambda key: key == f"{2:032x}")
    assert len(contents(tmp_path).refused) == 1
    drop_repeated(tmp_path, lambda key: key == f"{1:032x}")
    assert contents(tmp_path) == ((), (), {})


@pytest.mark.parametrize(("body", "done"), [('{"a": 1}', 1), ('{"a": ', 0)])
def test_a_draft_of_an_earlier_version_is_adopted_if_its_json_is_complete(
    tmp_path: Path, hub: Hub, body: str, done: int
) -> None:
    (tmp_path / SPOOL).mkdir()
    (tmp_path / SPOOL / ".01-ab").write_bytes(encoded(frame(1, body)))

    assert Spool(tmp_path, hub).deliver().done == done


def test_what_was_refused_can_be_tried_again(tmp_path: Path, hub: Hub) -> None:
    spool_frame(frame(1, "bad"), str(tmp_path))
    Spool(tmp_path, hub).deliver()

    assert take_back(tmp_path) == [f"{1:032x}"]

    assert contents(tmp_path).as_json() == {"waiting": 1, "drafts": 0, "refused": 0}
    assert Spool(tmp_path, hub).deliver().put_aside == 1


def test_a_file_that_is_no_event_is_put_aside(tmp_path: Path, hub: Hub) -> None:
    (tmp_path / SPOOL).mkdir()
    (tmp_path / SPOOL / "00-stray").write_bytes(b"not ours")

    assert Spool(tmp_path, hub).deliver().put_aside == 1
    assert "not a frame" in contents(tmp_path).refused["00-stray"]


def test_who_may_not_wait_for_another_delivery_does_not(
    tmp_path: Path, hub: Hub
) -> None:
    spool_frame(frame(1, "a"), str(tmp_path))
    (tmp_path / "locks").mkdir()
    with (tmp_path / "locks" / SPOOL).open("wb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(BlockingIOError):
            Spool(tmp_path, hub).deliver(wait=False)

    assert Spool(tmp_path, hub).deliver(wait=False).done == 1


def test_names_have_reached_the_disk_before_an_event_is_acknowledged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[Path] = []

    def noted(descriptor: int) -> None:
        synced.append(Path(f"/proc/self/fd/{descriptor}").readlink())

    monkeypatch.setattr(os, "fsync", noted)
    spool_frame(frame(1, "a"), str(tmp_path))

    (kept,) = contents(tmp_path).waiting
    assert synced[0] == tmp_path
    assert synced[1].name.startswith(f".{kept.name}.")
    assert synced[2] == tmp_path / SPOOL


def test_a_draft_that_cannot_be_written_is_not_left_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(os, "fsync", full)
    (tmp_path / SPOOL).mkdir()
    with pytest.raises(OSError, match="no space"):
        spool_frame(frame(1, "a"), str(tmp_path))

    assert list((tmp_path / SPOOL).iterdir()) == []
