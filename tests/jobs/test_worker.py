"""Jobs: taken once, left for the next worker, done again when one died."""

from __future__ import annotations

import threading
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from memoryhub.jobs import services
from memoryhub.jobs.models import Job
from memoryhub.journal.models import Workspace
from memoryhub.runtime.local_work import LOCAL, tidy
from memoryhub.runtime.worker import Worker
from memoryhub.sync.engine import sync_workspace
from memoryhub.tools.models import ToolCall
from tests.conftest import MakeWorkspace
from tests.waiting import wait_for


@pytest.fixture
def workspace(make_workspace: MakeWorkspace, workspace_root: Path) -> Workspace:
    (workspace_root / "memory").mkdir()
    (workspace_root / "memory/context-api.md").write_text("# Context: api\n")
    return make_workspace(workspace_root)


@pytest.fixture
def worker() -> Worker:
    return Worker(threading.Event(), LOCAL)


def asked(workspace: Workspace, kind: Job.Kind = Job.Kind.IMPORT) -> Job:
    return services.enqueue(kind, workspace.pk, {"before": workspace.last_run})


def test_an_import_is_done_and_told_of(workspace: Workspace, worker: Worker) -> None:
    job = asked(workspace)

    assert worker.run_all() == 1
    job.refresh_from_db()
    assert job.state == Job.State.DONE
    assert (job.result["number"], job.result["files"], job.done) == (1, 1, 1)
    assert job.finished_at is not None


def test_doing_a_job_twice_gives_what_doing_it_once_gives(
    workspace: Workspace, worker: Worker
) -> None:
    for _ in range(2):
        job = asked(workspace)
        worker.run_all()

    job.refresh_from_db()
    workspace.refresh_from_db()
    assert (job.result["number"], workspace.last_run) == (1, 1)


def test_a_rebuild_replays_the_journal(workspace: Workspace, worker: Worker) -> None:
    sync_workspace(workspace)
    job = asked(workspace, Job.Kind.REBUILD)

    worker.run_all()

    job.refresh_from_db()
    assert job.result == {"entries": workspace.last_seq}


def test_asking_twice_for_what_waits_is_one_job(workspace: Workspace) -> None:
    assert asked(workspace) == asked(workspace)


def test_what_is_asked_for_again_waits_for_no_later_time(workspace: Workspace) -> None:
    job = services.enqueue(Job.Kind.FORGETTING, workspace.pk, {"forgetting": 1})
    Job.objects.update(not_before=timezone.now() + timedelta(minutes=10))
    assert services.take() is None

    services.enqueue(Job.Kind.FORGETTING, workspace.pk, {"forgetting": 1})

    assert services.take() == job


def test_a_job_is_taken_once(workspace: Workspace) -> None:
    asked(workspace)

    assert services.take() is not None
    assert services.take() is None


def test_a_job_whose_worker_died_is_taken_again(
    workspace: Workspace, worker: Worker
) -> None:
    job = asked(workspace)
    services.take()
    Job.objects.update(lease_until=timezone.now() - timedelta(seconds=1))

    assert worker.run_all() == 1
    job.refresh_from_db()
    assert job.state == Job.State.DONE


def test_progress_renews_the_lease(workspace: Workspace) -> None:
    asked(workspace)
    job = services.take()
    assert job is not None
    Job.objects.update(lease_until=timezone.now())

    services.report(job, 2, 5)

    assert services.take() is None
    job.refresh_from_db()
    assert (job.done, job.total) == (2, 5)


def test_a_job_stopped_midway_waits_for_the_next_start(workspace: Workspace) -> None:
    stop = threading.Event()
    stop.set()
    job = asked(workspace)

    Worker(stop, LOCAL).run_next()
    job.refresh_from_db()
    assert job.state == Job.State.QUEUED

    Worker(threading.Event(), LOCAL).run_all()
    job.refresh_from_db()
    assert job.state == Job.State.DONE


def test_a_job_that_cannot_be_done_says_why(
    workspace: Workspace, workspace_root: Path, worker: Worker
) -> None:
    workspace_root.rename(workspace_root.with_name("away"))
    job = asked(workspace)

    worker.run_all()

    job.refresh_from_db()
    assert (job.state, str(workspace_root) in job.error) == (Job.State.FAILED, True)


def test_a_workspace_that_was_deleted_fails_its_jobs(
    workspace: Workspace, worker: Worker
) -> None:
    job = services.enqueue(Job.Kind.IMPORT, 123, {})

    worker.run_all()

    job.refresh_from_db()
    assert job.state == Job.State.FAILED


@pytest.mark.django_db(transaction=True)
def test_the_thread_does_what_is_asked_for_and_ends_when_it_shall(
    workspace: Workspace,
) -> None:
    stop = threading.Event()
    thread = threading.Thread(target=Worker(stop, LOCAL).run)
    thread.start()
    job = asked(workspace)
    try:
        wait_for(lambda: Job.objects.filter(pk=job.pk, state=Job.State.DONE))
    finally:
        stop.set()
        thread.join(30)
    assert not thread.is_alive()


def test_the_worker_forgets_old_calls_once_a_day(
    workspace: Workspace,
) -> None:
    worker = Worker(threading.Event(), LOCAL, tidy)
    long_ago = timezone.now() - timedelta(days=31)
    for key in ("one", "two"):
        ToolCall.objects.create(workspace=workspace, key=key, made_at=long_ago)
        worker.tidy()

    assert [call.key for call in ToolCall.objects.all()] == ["two"]
