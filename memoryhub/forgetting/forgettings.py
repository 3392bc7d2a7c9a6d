"""State machine of forgettings: ask, plan, confirm, hide, erase, undo.

    PLANNING -> PLANNED -> HIDING -> HIDDEN -> ERASING -> SWEEPING -> DONE
                              RETURNING <-+ -> TAKEN_BACK

Each transition is one update conditional on the old state, so that of two concurrent
requests one fails. `carry_on` continues from any state that a kill left.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from memoryhub.audit.origins import current_origin
from memoryhub.audit.recording import record
from memoryhub.disk.files import locked
from memoryhub.errors.terminal import counted
from memoryhub.forgetting.aims import aim_of, needle_of_version, others_with
from memoryhub.forgetting.entries import needle_of_entry
from memoryhub.forgetting.erasing import (
    backups_before,
    erase_beside,
    erase_rows,
    files_holding,
    hidden_by,
    redact_files,
    restore_files,
    sweep,
)
from memoryhub.forgetting.hiding import Progress, bring_back, hide
from memoryhub.forgetting.models import Forgetting
from memoryhub.forgetting.planning import is_empty, plan_of, size_of
from memoryhub.forgetting.rules import SHORTEST
from memoryhub.formats.base import FormatError
from memoryhub.formats.secrets.detection import find_secrets
from memoryhub.jobs.models import Job
from memoryhub.jobs.services import enqueue
from memoryhub.journal.models import Workspace
from memoryhub.journal.problems import SECRETS, current_problems
from memoryhub.journal.versions import is_known, newest_text
from memoryhub.sync.engine import WorkspaceGone, sync_workspace

Kind, State = Forgetting.Kind, Forgetting.State
#: In progress: later forgettings wait for these.
OPEN = (State.HIDING, State.HIDDEN, State.RETURNING, State.ERASING, State.SWEEPING)
#: States to be resumed after a kill or a full disk.
_BEGUN = (State.PLANNING, *(state for state in OPEN if state != State.HIDDEN))
#: Bytes of versions that are searched while a page waits.
_SMALL = 4_000_000
#: Repeats of the redaction, as other programs may write meanwhile.
_ROUNDS = 3
#: Days until an unconfirmed plan is dropped with its needle.
_PLAN_DAYS = 1


@dataclass(frozen=True, slots=True)
class Target:
    """A request to forget; `minutes` None is the hub's setting."""

    kind: str
    text: str = ""
    path: str = ""
    seq: int = 0
    reason: str = ""
    keep_files: bool = False
    minutes: int | None = None


def no_progress(done: int, total: int, following: str = "") -> None:
    """Ignore progress: a callback that does nothing."""


def ask(workspace: Workspace, target: Target, actor: str) -> Forgetting:
    """Create a forgetting, to be planned by `plan` or by the worker.

    Raises:
        FormatError: the pattern is invalid, or the target does not exist.
    """
    minutes = target.minutes
    needle, label = _needle(workspace, target)
    made = Forgetting(
        workspace=workspace,
        kind=target.kind,
        label=label[:300],
        needle=needle,
        state=State.PLANNING,
        actor=actor,
        reason=target.reason,
        keep_files=target.keep_files,
        minutes=settings.MEMORYHUB_FORGET_MINUTES if minutes is None else minutes,
        asked_at=timezone.now(),
    )
    aim_of(made)
    made.save()
    # Nothing changes before it is confirmed.
    current_origin().reads = True
    return made


def plan(forgetting: Forgetting, progress: Progress = no_progress) -> Forgetting:
    """Search the workspace for matches and store the plan."""
    found = plan_of(forgetting, aim_of(forgetting), progress)
    values = {"plan": found, "state": State.PLANNED}
    Forgetting.objects.filter(pk=forgetting.pk, state=State.PLANNING).update(**values)
    forgetting.refresh_from_db()
    return forgetting


def plan_soon(forgetting: Forgetting) -> Forgetting:
    """Plan a forgetting immediately if small (4 MB), else by a job."""
    if size_of(forgetting, aim_of(forgetting)) <= _SMALL:
        return plan(forgetting)
    _enqueue(forgetting)
    return forgetting


def confirm(forgetting: Forgetting, *, now: bool = False) -> Forgetting:
    """Confirm a planned forgetting: hidden now, erased after its waiting time.

    Raises:
        FormatError: ``forgetting-empty``, there are no matches; ``forgetting-state``,
            it is not planned, or no longer; ``forgetting-order``, erasing `now` while
            another one is in progress.
    """
    if is_empty(forgetting.plan):
        raise FormatError("forgetting-empty")
    with transaction.atomic():
        waits = Forgetting.objects.filter(state__in=OPEN).order_by("id").first()
        if now and waits is not None:
            raise FormatError("forgetting-order", number=waits.pk)
        minutes = 0 if now else forgetting.minutes
        _move(forgetting, State.PLANNED, State.HIDING, minutes=minutes)
        _record("forget.confirmed", forgetting)
    _enqueue(forgetting)
    return forgetting


def take_back(forgetting: Forgetting) -> Forgetting:
    """Undo a forgetting; drop it if it was only planned.

    Raises:
        FormatError: ``forgetting-over``, its bytes are being erased;
            ``forgetting-order``, a later one has to be undone first.
    """
    with transaction.atomic():
        forgetting.refresh_from_db()
        if forgetting.state in (State.PLANNING, State.PLANNED):
            _end(forgetting, forgetting.state, State.TAKEN_BACK)
            current_origin().reads = True
            return forgetting
        _record("forget.taken-back", forgetting)
        later = Forgetting.objects.filter(state__in=OPEN, pk__gt=forgetting.pk).first()
        if forgetting.state not in (State.HIDING, State.HIDDEN, State.RETURNING):
            raise FormatError("forgetting-over", number=forgetting.pk)
        if later is not None:
            raise FormatError("forgetting-order", number=later.pk)
        if forgetting.state != State.RETURNING:
            _move(forgetting, forgetting.state, State.RETURNING)
    _enqueue(forgetting)
    return forgetting


def carry_on(forgetting: Forgetting, progress: Progress = no_progress) -> Forgetting:
    """Run the due steps of a forgetting until it waits or ends.

    Only one process at a time does so.

    Raises:
        NotSwept: a log cannot be emptied now.
    """
    with locked(Path(settings.MEMORYHUB_DATA) / "locks" / "forgetting"):
        while True:
            forgetting.refresh_from_db()
            step = _STEPS.get(State(forgetting.state))
            if step is None or not step(forgetting, progress):
                return forgetting


def due(now: datetime) -> list[Forgetting]:
    """Return the forgettings with a due step, oldest first."""
    open_ones = Forgetting.objects.filter(state__in=(*_BEGUN, State.HIDDEN))
    found = open_ones.select_related("workspace").order_by("id")
    return [f for f in found if f.state != State.HIDDEN or _is_due(f, now)]


def carry_out_due() -> int:
    """Run all due forgettings, also without a server; return their number."""
    found = due(timezone.now())
    for forgetting in found:
        carry_on(forgetting)
    return len(found)


def resume_forgettings() -> None:
    """Enqueue unfinished forgettings again, and drop unconfirmed plans."""
    for forgetting in Forgetting.objects.filter(state__in=(*_BEGUN, State.HIDDEN)):
        _enqueue(forgetting)
    old = timezone.now() - timedelta(days=_PLAN_DAYS)
    stale = Forgetting.objects.filter(state=State.PLANNED, asked_at__lt=old)
    stale.update(state=State.TAKEN_BACK, needle={}, ended_at=timezone.now())


def _is_due(forgetting: Forgetting, now: datetime) -> bool:
    return forgetting.due_at is not None and forgetting.due_at <= now


def _plan_step(forgetting: Forgetting, progress: Progress) -> bool:
    plan(forgetting, progress)
    return False


def _hide_step(forgetting: Forgetting, progress: Progress) -> bool:
    _look_at_folder(forgetting)
    hide(forgetting, aim_of(forgetting), timezone.now(), progress)
    # Agents read the files: they must not wait for the end of the undo window.
    left = [] if forgetting.keep_files else redact_files(forgetting, timezone.now())
    result = {"left": left, "kept": files_holding(forgetting)}
    until = timezone.now() + timedelta(minutes=forgetting.minutes)
    earlier = Forgetting.objects.filter(state__in=OPEN, pk__lt=forgetting.pk)
    waits = [other.due_at for other in earlier if other.due_at]
    _move(
        forgetting,
        State.HIDING,
        State.HIDDEN,
        due_at=max([until, *waits]),
        result=result,
    )
    return True


def _wait_step(forgetting: Forgetting, progress: Progress) -> bool:
    if not _is_due(forgetting, timezone.now()):
        return False
    earlier = Forgetting.objects.filter(state__in=OPEN, pk__lt=forgetting.pk)
    if earlier.exists():
        return False
    _move(forgetting, State.HIDDEN, State.ERASING)
    return True


def _erase_step(forgetting: Forgetting, progress: Progress) -> bool:
    aim = aim_of(forgetting)
    left: list[str] = []
    for _ in range(_ROUNDS):
        _look_at_folder(forgetting)
        hide(forgetting, aim, timezone.now(), progress)
        if forgetting.keep_files or not files_holding(forgetting):
            break
        left = redact_files(forgetting, timezone.now())
    erase_rows(forgetting)
    erase_beside(aim)
    result = {
        "left": left,
        "kept": files_holding(forgetting),
        "elsewhere": others_with(forgetting.workspace, hidden_by(forgetting)),
        "backups": backups_before(timezone.now()),
    }
    values = {"result": result, "needle": {}}
    _move(forgetting, State.ERASING, State.SWEEPING, **values)
    return True


def _sweep_step(forgetting: Forgetting, progress: Progress) -> bool:
    sweep()
    with transaction.atomic():
        _end(forgetting, State.SWEEPING, State.DONE)
        _record("forget.erased", forgetting)
    return False


def _return_step(forgetting: Forgetting, progress: Progress) -> bool:
    bring_back(forgetting, progress)
    restore_files(forgetting, timezone.now())
    _end(forgetting, State.RETURNING, State.TAKEN_BACK)
    return False


_STEPS = {
    State.PLANNING: _plan_step,
    State.HIDING: _hide_step,
    State.HIDDEN: _wait_step,
    State.ERASING: _erase_step,
    State.SWEEPING: _sweep_step,
    State.RETURNING: _return_step,
}


def _look_at_folder(forgetting: Forgetting) -> None:
    """Sync first, so that new versions are found too; skipped without a folder."""
    try:
        sync_workspace(forgetting.workspace)
    except WorkspaceGone:
        forgetting.workspace.refresh_from_db()


def _move(forgetting: Forgetting, old: str, new: str, **values: Any) -> None:
    """Change the state, if it is still the old one.

    Raises:
        FormatError: ``forgetting-state``, it has changed meanwhile.
    """
    named = Forgetting.objects.filter(pk=forgetting.pk, state=old)
    if not named.update(state=new, **values):
        raise FormatError("forgetting-state", number=forgetting.pk)
    forgetting.refresh_from_db()


def _record(action: str, forgetting: Forgetting) -> None:
    """Record a step in the audit log, by its number: the label may be a path."""
    record(
        action,
        workspace=forgetting.workspace.slug,
        subject=f"{forgetting.kind} {forgetting.pk}",
        actor=forgetting.actor,
    )


def _end(forgetting: Forgetting, old: str, new: str) -> None:
    _move(forgetting, old, new, needle={}, ended_at=timezone.now())


def _enqueue(forgetting: Forgetting) -> None:
    payload = {"forgetting": forgetting.pk}
    enqueue(Job.Kind.FORGETTING, forgetting.workspace_id, payload)


def _needle(workspace: Workspace, target: Target) -> tuple[dict[str, Any], str]:
    """Return the search terms, and a description that does not reveal them."""
    text, path = target.text, target.path
    match target.kind:
        case Kind.TEXT:
            return {"text": text}, f"a text of {len(text)} characters"
        case Kind.REGEX:
            return {"pattern": text}, f"a pattern of {len(text)} characters"
        case Kind.SECRETS:
            texts = _secrets_in(workspace, path)
            return {"texts": texts}, counted(len(texts), "secret")
        case Kind.ENTRY:
            needle = needle_of_entry(workspace, text)
            places = counted(len(needle["blocks"]), "place")
            return needle, f"{needle['what']} of {places}"
        case Kind.VERSION:
            needle = needle_of_version(workspace, path, target.seq)
            return needle, f"{path} at revision {needle['seq']}"
    if not is_known(workspace, path):
        raise FormatError("file-unknown", path=path)
    return {"path": path}, path


def _secrets_in(workspace: Workspace, path: str) -> list[str]:
    """Return the probable secrets of a file as it is now; of all without a path.

    Raises:
        FormatError: ``forgetting-empty``, there is none.
    """
    rows = current_problems(workspace).filter(code_name=SECRETS)
    paths = {row.path for row in (rows.filter(path=path) if path else rows)}
    found: set[str] = set()
    for text in (newest_text(workspace, one) for one in sorted(paths)):
        found |= {text[start:end] for start, end in find_secrets(text)}
    texts = sorted(text for text in found if len(text) >= SHORTEST)
    if not texts:
        raise FormatError("forgetting-empty")
    return texts
