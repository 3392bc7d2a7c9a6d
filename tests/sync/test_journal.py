from __future__ import annotations

import zlib
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from memoryhub.journal.blobs import CorruptBlob, blob_bytes, predecessor, store
from memoryhub.journal.models import Blob, Problem, Revision, SourceFile, Workspace
from memoryhub.journal.packing import pack
from memoryhub.sync.engine import sync_workspace
from memoryhub.sync.record.projection import rebuild
from tests.writing import say

MakeWorkspace = Callable[[Path], Workspace]

LOG = "memory/2026-11-01.md"
HEAD = "# Day\n" + "".join(f"- line {number} of the log\n" for number in range(60))


@pytest.fixture
def workspace(workspace_root: Path, make_workspace: MakeWorkspace) -> Workspace:
    return make_workspace(workspace_root)


def kept(data: bytes) -> Blob:
    """Store bytes as a sync does, behind no predecessor."""
    digest = sha256(data).hexdigest()
    return Blob.objects.get(id=store([pack(data, digest)])[digest])


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("data", "encoding"),
    [(b"", "raw"), (b"\x00\xff\xfe", "raw"), (b"text " * 100, "deflate")],
)
def test_any_bytes_come_back(data: bytes, encoding: str) -> None:
    blob = kept(data)

    assert blob_bytes(blob) == data
    assert blob.encoding == encoding


@pytest.mark.django_db
def test_equal_bytes_are_stored_once() -> None:
    assert kept(b"one") == kept(b"one")
    assert Blob.objects.count() == 1


def test_equal_files_share_their_bytes(workspace: Workspace) -> None:
    say(workspace, {"memory/a.md": HEAD, "memory/b.md": HEAD})

    assert Revision.objects.count() == 2
    assert Blob.objects.count() == 1


def test_a_version_that_adds_to_the_one_before_is_kept_as_a_tail(
    workspace: Workspace,
) -> None:
    say(workspace, {LOG: HEAD})
    say(workspace, {LOG: HEAD + "- one more\n"})

    tail = Blob.objects.select_related("base").get(encoding="tail")
    assert zlib.decompress(tail.data) == b"- one more\n"
    assert blob_bytes(tail) == (HEAD + "- one more\n").encode()


def test_a_version_that_changes_the_one_before_is_kept_whole(
    workspace: Workspace,
) -> None:
    say(workspace, {LOG: HEAD})
    say(workspace, {LOG: HEAD.replace("line 3 ", "line three ") + "- more\n"})

    assert not Blob.objects.filter(encoding="tail").exists()


def test_chains_of_tails_are_short_and_every_version_comes_back(
    workspace: Workspace,
) -> None:
    versions = [HEAD + "- more\n" * number for number in range(40)]
    for version in versions:
        say(workspace, {LOG: version})

    revisions = Revision.objects.order_by("seq").select_related("blob")
    blobs = [revision.blob for revision in revisions if revision.blob]
    assert [blob_bytes(blob).decode() for blob in blobs] == versions
    assert [blob.encoding for blob in blobs].count("tail") == 39
    assert max(map(length_of_chain, blobs)) == 6
    assert sum(len(blob.data) for blob in blobs[1:]) < len(HEAD)


def length_of_chain(blob: Blob) -> int:
    return 1 if blob.base is None else 1 + length_of_chain(blob.base)


def test_a_chain_of_the_older_kind_goes_on(workspace: Workspace) -> None:
    versions = [HEAD + "- more\n" * number for number in range(40)]
    for version in versions[:17]:
        say(workspace, {LOG: version})
    put_each_behind_the_one_before()

    for version in versions[17:]:
        say(workspace, {LOG: version})

    revisions = Revision.objects.order_by("seq").select_related("blob")
    blobs = [revision.blob for revision in revisions if revision.blob]
    assert [blob_bytes(blob).decode() for blob in blobs] == versions
    assert [blob.encoding for blob in blobs].count("tail") == 39


def put_each_behind_the_one_before() -> None:
    """Store tails as earlier versions of the hub did."""
    blobs = list(Blob.objects.order_by("id"))
    whole = [blob_bytes(blob) for blob in blobs]
    for number in range(1, len(blobs)):
        tail = zlib.compress(whole[number][len(whole[number - 1]) :])
        row = Blob.objects.filter(id=blobs[number].id)
        row.update(base=blobs[number - 1], data=tail)


@pytest.mark.django_db
@pytest.mark.parametrize("damage", [b"", b"\x00garbage", zlib.compress(b"other")])
def test_a_corrupt_version_is_noticed(damage: bytes) -> None:
    blob = kept(b"text " * 100)
    Blob.objects.filter(id=blob.id).update(data=damage)

    with pytest.raises(CorruptBlob):
        blob_bytes(Blob.objects.get(id=blob.id))


@pytest.mark.django_db
def test_nothing_is_put_behind_a_corrupt_version() -> None:
    blob = kept(b"text " * 200)
    Blob.objects.filter(id=blob.id).update(data=b"garbage")

    assert predecessor(blob.sha256) is None


def test_a_corrupt_version_does_not_stop_imports(workspace: Workspace) -> None:
    say(workspace, {LOG: HEAD})
    Blob.objects.update(data=b"garbage")

    report = say(workspace, {LOG: HEAD + "- more\n"})

    assert report.changed == 1
    newest = Revision.objects.select_related("blob").latest("seq").blob
    assert newest is not None
    assert blob_bytes(newest) == (HEAD + "- more\n").encode()


def test_a_replay_names_a_damaged_version_and_goes_on(workspace: Workspace) -> None:
    say(workspace, {LOG: HEAD, "memory/b.md": "# B\n\nfine\n"})
    Blob.objects.filter(sha256=sha256(HEAD.encode()).hexdigest()).update(data=b"x")

    rebuild(workspace)

    problem = Problem.objects.get(until_seq=None)
    assert (problem.path, problem.code_name) == (LOG, "version-damaged")
    assert SourceFile.objects.filter(present=True).count() == 2
    say(workspace, {LOG: HEAD + "- more\n"})
    assert not Problem.objects.filter(until_seq=None).exists()


def test_a_touched_file_is_no_new_version(workspace: Workspace) -> None:
    say(workspace, {LOG: HEAD})
    Path(workspace.root, LOG).touch()

    assert sync_workspace(workspace).is_empty
    assert Revision.objects.count() == 1
