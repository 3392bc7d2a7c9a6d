"""Notices: each thing that newly waits is posted once, signed, until it is taken."""

from __future__ import annotations

import hmac
import json
import threading
from base64 import b64encode
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.test import Client
from django.test.utils import override_settings
from django.urls.base import set_script_prefix
from django.utils import timezone
from pytest_django import Settings

from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.services.sending import Author
from memoryhub.jobs.models import Job
from memoryhub.journal.models import Workspace
from memoryhub.notices import services
from memoryhub.notices.models import Notice
from memoryhub.notices.services import webhook_state
from memoryhub.notices.webhook import signature
from memoryhub.runtime.notifier import POSTING, Notifier, notify
from memoryhub.runtime.worker import Worker
from memoryhub.sync.engine import sync_workspace
from tests.factories import imported, write
from tests.handoffs.steps import sign_off
from tests.notices.receiver import Receiver, receiver

pytestmark = pytest.mark.django_db
TASK = """# Handoff {id}

<task>
  <from>builder</from>
  <to>planner</to>
  <task_id>{id}</task_id>
  <type>decision</type>
  <context>{context} Because.</context>
</task>
"""


@pytest.fixture
def hook(settings: Settings) -> Iterator[Receiver]:
    with receiver() as found:
        settings.MEMORYHUB_WEBHOOK_URL = found.url
        settings.MEMORYHUB_WEBHOOK_SECRET = "s3cret"
        yield found


@pytest.fixture
def workspace(hub_data: Path, workspace_root: Path) -> Workspace:
    return imported(workspace_root, decision(1))


@pytest.fixture
def notifier() -> Notifier:
    return Notifier(threading.Event())


def decision(number: int, context: str = "Use events.") -> dict[str, str | bytes]:
    task_id = f"20261120-{number:02}"
    text = TASK.format(id=task_id, context=context)
    return {f"memory/handoffs/{task_id}.md": text}


def deliver() -> None:
    Worker(threading.Event(), POSTING).run_all()


def make_due() -> None:
    Job.objects.update(not_before=timezone.now() - timedelta(seconds=1))


def test_what_waits_is_posted_once(
    hook: Receiver, workspace: Workspace, notifier: Notifier
) -> None:
    for _ in range(3):
        notifier.look()
        deliver()
        Notifier(threading.Event()).look()

    (got,) = hook.got
    body = json.loads(got.body)
    assert (body["workspace"], body["kind"]) == ("acme", "sign-off")
    assert body["title"] == "Sign off: Use events"
    assert body["task_id"] == "20261120-01"
    assert body["id"] == got.headers["Memoryhub-Delivery"]


def test_the_signature_is_over_time_and_body(
    hook: Receiver, workspace: Workspace, notifier: Notifier
) -> None:
    notifier.look()
    deliver()

    (got,) = hook.got
    stamp = got.headers["Memoryhub-Timestamp"]
    signed = hmac.new(b"s3cret", f"{stamp}.".encode() + got.body, "sha256").hexdigest()
    assert got.headers["Memoryhub-Signature"] == f"sha256={signed}"
    assert signature("other", int(stamp), got.body) != f"sha256={signed}"


def test_a_name_and_a_password_of_the_address_sign_in(
    hook: Receiver, workspace: Workspace, notifier: Notifier, settings: Settings
) -> None:
    settings.MEMORYHUB_WEBHOOK_URL = hook.url.replace("://", "://me:p%40w@")
    notifier.look()
    deliver()

    (got,) = hook.got
    assert got.headers["Authorization"] == f"Basic {b64encode(b'me:p@w').decode()}"
    assert webhook_state().error == ""


def test_no_error_tells_a_part_of_the_address(
    hook: Receiver, workspace: Workspace, notifier: Notifier, settings: Settings
) -> None:
    settings.MEMORYHUB_WEBHOOK_URL = hook.url.replace("/hook", "/s3cret key")
    notifier.look()
    deliver()

    assert webhook_state().error == "its address cannot be used"


def test_what_waited_before_there_was_a_webhook_is_posted_too(
    workspace: Workspace, notifier: Notifier, settings: Settings
) -> None:
    notifier.look()
    assert not Job.objects.exists()
    services.create_notices(workspace, {"early": {"kind": "gone"}}, whole=True)
    with receiver() as found:
        settings.MEMORYHUB_WEBHOOK_URL = found.url
        settings.MEMORYHUB_WEBHOOK_SECRET = "s3cret"
        for _ in range(2):
            services.enqueue_waiting()
        deliver()

    assert [json.loads(one.body)["kind"] for one in found.got] == ["gone"]


def test_only_what_is_new_is_posted(
    hook: Receiver, workspace: Workspace, notifier: Notifier
) -> None:
    notifier.look()
    write(Path(workspace.root), decision(2))
    sync_workspace(workspace)

    assert notifier.look() == 1


def test_it_is_tried_again_until_it_is_taken(
    hook: Receiver, workspace: Workspace, notifier: Notifier
) -> None:
    hook.answers = [500, 503]
    notifier.look()
    deliver()
    deliver()
    assert len(hook.got) == 1
    assert webhook_state().error == "answered 500"

    for _ in range(3):
        make_due()
        deliver()

    assert len(hook.got) == 3
    assert len({got.headers["Memoryhub-Delivery"] for got in hook.got}) == 1
    state = webhook_state()
    assert (state.is_failing, state.waiting, state.given_up) == (False, 0, 0)


def test_waits_between_attempts_double_up_to_an_hour(
    hook: Receiver, workspace: Workspace, notifier: Notifier
) -> None:
    hook.answers = [500] * 3
    notifier.look()
    for attempts, seconds in ((0, 10), (1, 20), (12, 3600)):
        Notice.objects.update(attempts=attempts)
        before = timezone.now()

        again = services.deliver(Notice.objects.get().pk)

        assert again is not None
        assert before <= again - timedelta(seconds=seconds) <= timezone.now()


def test_it_gives_up_at_last_and_says_so(
    hook: Receiver, workspace: Workspace, notifier: Notifier
) -> None:
    hook.answers = [500]
    notifier.look()
    Notice.objects.update(attempts=services.ATTEMPTS - 1)
    deliver()
    deliver()

    job = Job.objects.get(kind=Job.Kind.NOTICE)
    assert (job.state, job.error) == (Job.State.FAILED, "answered 500")
    assert webhook_state().given_up == 1
    assert len(hook.got) == 1


@pytest.mark.parametrize("where", ["http://127.0.0.1:9/", "file:///etc/passwd"])
def test_no_redirect_is_followed(
    hook: Receiver, workspace: Workspace, notifier: Notifier, where: str
) -> None:
    hook.answers, hook.location = [302], where
    notifier.look()
    deliver()

    assert len(hook.got) == 1
    assert webhook_state().error == "answered 302"


def test_nobody_at_the_address_is_a_failure_like_any_other(
    workspace: Workspace, notifier: Notifier
) -> None:
    url = "http://127.0.0.1:9/"
    with override_settings(MEMORYHUB_WEBHOOK_URL=url, MEMORYHUB_WEBHOOK_SECRET="x"):
        notifier.look()
        deliver()

    assert "refused" in webhook_state().error


def test_what_no_longer_waits_is_not_posted(
    hook: Receiver, workspace: Workspace, notifier: Notifier
) -> None:
    notifier.look()
    sign_off(Handoff.objects.get(), Author("dana", True))
    workspace.refresh_from_db()
    notifier.look()
    deliver()

    assert hook.got == []
    assert webhook_state().waiting == 0


def test_secrets_are_masked_and_no_text_breaks_a_post(
    hook: Receiver, hub_data: Path, workspace_root: Path, notifier: Notifier
) -> None:
    secret = "AKIA" + "Q7" * 8
    said = decision(1, f'Use "{secret}" <b>& \udcff \u2028 more.')
    path, text = next(iter(said.items()))
    data = str(text).encode("utf-8", "surrogateescape")
    imported(workspace_root, {path: data})
    notifier.look()
    deliver()

    assert not any(secret in got.body.decode() for got in hook.got)
    assert any("••••" in json.loads(got.body)["title"] for got in hook.got)


def test_a_rebuild_tells_nothing_twice(
    hook: Receiver, workspace: Workspace, notifier: Notifier
) -> None:
    notifier.look()
    Workspace.objects.update(projected_seq=0)
    Handoff.objects.all().delete()

    assert Notifier(threading.Event()).look() == 0
    assert Notice.objects.filter(gone_at__isnull=True).count() == 1


def test_a_notice_is_no_page_of_an_import(
    client: Client, hook: Receiver, workspace: Workspace, notifier: Notifier
) -> None:
    notifier.look()

    assert client.get(f"/imports/{Job.objects.get().pk}/").status_code == 404


def test_what_there_is_too_much_of_is_not_taken_for_settled(
    hook: Receiver, workspace: Workspace, notifier: Notifier
) -> None:
    notifier.look()

    services.create_notices(workspace, {"other": {}}, whole=False)
    assert Notice.objects.filter(gone_at__isnull=True).count() == 2
    services.create_notices(workspace, {"other": {}}, whole=True)
    assert Notice.objects.filter(gone_at__isnull=True).count() == 1


def test_what_waits_anew_is_told_anew(workspace: Workspace) -> None:
    looks: list[dict[str, dict[str, str]]] = [{"a": {}}, {"a": {}}, {}, {"a": {}}]

    told = [services.create_notices(workspace, said, whole=True) for said in looks]

    assert told == [1, 0, 0, 1]


@pytest.mark.parametrize("prefix", ["/", "/hub/"], ids=["thread", "request"])
def test_a_post_has_the_public_address_of_its_page(
    hook: Receiver,
    workspace: Workspace,
    notifier: Notifier,
    settings: Settings,
    prefix: str,
) -> None:
    settings.MEMORYHUB_URL = "https://example.org/hub/"
    settings.FORCE_SCRIPT_NAME = "/hub"
    set_script_prefix(prefix)
    try:
        notifier.look()
        deliver()
    finally:
        set_script_prefix("/")

    posted = json.loads(hook.got[0].body)
    assert posted["path"].startswith(f"/w/{workspace.slug}/")
    assert posted["url"] == f"https://example.org/hub{posted['path']}"
    assert all(one["path"].startswith("/w/") for one in posted["actions"])


def test_a_handoff_of_which_no_file_gives_a_time_waits_since_unknown(
    hub_data: Path, workspace_root: Path, hook: Receiver
) -> None:
    dated = TASK.format(id="20261105-01", context="Use oak.")
    undated = TASK.format(id="door-1", context="Use pine.")
    workspace = imported(workspace_root, {"AGENTS.md": dated + undated})

    notify(workspace)

    bodies = Notice.objects.values_list("body", flat=True)
    since = {body["task_id"]: str(body["since"])[:10] for body in bodies}
    assert since == {"20261105-01": "2026-11-05", "door-1": "None"}
