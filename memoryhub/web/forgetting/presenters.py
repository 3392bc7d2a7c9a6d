"""Presenter of forgettings: state, plan, warnings, progress."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy, ngettext

from memoryhub.forgetting.models import Forgetting
from memoryhub.forgetting.services.planning import is_empty
from memoryhub.jobs.models import Job
from memoryhub.web.kit.frame import Shell
from memoryhub.web.kit.labels import listed

_STATE = Forgetting.State
_SHOWN_FILES = 20

_STATES: dict[str, tuple[str, Promise]] = {
    _STATE.PLANNING: ("waiting", gettext_lazy("Looking")),
    _STATE.PLANNED: ("waiting", gettext_lazy("To be confirmed")),
    _STATE.HIDING: ("waiting", gettext_lazy("Being hidden")),
    _STATE.HIDDEN: ("waiting", gettext_lazy("Hidden")),
    _STATE.RETURNING: ("waiting", gettext_lazy("Being taken back")),
    _STATE.TAKEN_BACK: ("stale", gettext_lazy("Taken back")),
    _STATE.ERASING: ("waiting", gettext_lazy("Being erased")),
    _STATE.SWEEPING: ("waiting", gettext_lazy("Being erased")),
    _STATE.DONE: ("done", gettext_lazy("Forgotten")),
}
#: States in which the worker is active; no person is needed.
_MOVING = (
    _STATE.PLANNING,
    _STATE.HIDING,
    _STATE.RETURNING,
    _STATE.ERASING,
    _STATE.SWEEPING,
)


@dataclass(frozen=True, slots=True)
class ShownFile:
    """A touched file: number of versions, and whether the file on disk is touched."""

    path: str
    url: str
    text: str


@dataclass(frozen=True, slots=True)
class ShownForgetting:
    """A forgetting, in the list and on its page."""

    number: int
    url: str
    title: str
    status: str
    state: str
    facts: str
    moving: bool
    planned: bool
    hidden: bool
    empty: bool
    over: bool
    summary: str
    files: tuple[ShownFile, ...]
    more_files: int
    samples: tuple[tuple[str, str, str], ...]
    warnings: tuple[str, ...]
    due: str
    can_return: bool
    progress: tuple[int, int]


def shown_forgetting(forgetting: Forgetting, shell: Shell) -> ShownForgetting:
    """Return a forgetting for display."""
    plan, state = forgetting.plan, forgetting.state
    status, word = _STATES[state]
    files = plan.get("files", [])
    clock = shell.clock
    return ShownForgetting(
        number=forgetting.pk,
        url=shell.addresses.forgetting(forgetting.pk),
        title=_title(forgetting),
        status=status,
        state=str(word),
        facts=_facts(forgetting, shell),
        moving=state in _MOVING,
        planned=state == _STATE.PLANNED,
        hidden=state == _STATE.HIDDEN,
        empty=state == _STATE.PLANNED and is_empty(plan),
        over=state in (_STATE.DONE, _STATE.TAKEN_BACK),
        summary=_summary(forgetting) if plan else "",
        files=tuple(_file(file, shell) for file in files[:_SHOWN_FILES]),
        more_files=max(0, plan.get("file_count", 0) - _SHOWN_FILES),
        samples=tuple(_sample(sample, shell) for sample in plan.get("samples", [])),
        warnings=tuple(_warnings(forgetting)),
        due=clock.moment(forgetting.due_at) if forgetting.due_at else "",
        can_return=state in (_STATE.HIDING, _STATE.HIDDEN),
        progress=_progress(forgetting),
    )


def _title(forgetting: Forgetting) -> str:
    """Return a title that does not reveal what is forgotten."""
    kinds = Forgetting.Kind
    match forgetting.kind:
        case kinds.TEXT:
            return gettext("A text")
        case kinds.REGEX:
            return gettext("A pattern")
        case kinds.ENTRY:
            return gettext("An entry")
    return forgetting.label


def _facts(forgetting: Forgetting, shell: Shell) -> str:
    words = {
        "actor": forgetting.actor,
        "when": shell.clock.moment(forgetting.asked_at),
        "why": forgetting.reason,
    }
    if forgetting.reason:
        return gettext("%(actor)s, %(when)s: %(why)s") % words
    return gettext("%(actor)s, %(when)s") % words


def _summary(forgetting: Forgetting) -> str:
    plan = forgetting.plan
    versions, files = plan["versions"], plan["file_count"]
    rows = sum(plan["rows"].values())
    parts = [
        ngettext("%(n)s version", "%(n)s versions", versions) % {"n": versions},
        ngettext("of %(n)s file", "of %(n)s files", files) % {"n": files},
        ngettext("%(n)s row", "%(n)s rows", rows) % {"n": rows},
    ]
    words = {"versions": parts[0], "files": parts[1], "rows": parts[2]}
    return gettext("%(versions)s %(files)s, %(rows)s, and the search index") % words


def _file(file: dict[str, object], shell: Shell) -> ShownFile:
    path, count = str(file["path"]), int(str(file["versions"]))
    words = ngettext("%(n)s version", "%(n)s versions", count) % {"n": count}
    if file["now"]:
        words = gettext("%(versions)s, on disk too") % {"versions": words}
    return ShownFile(path, shell.addresses.file(path, view="history"), words)


def _sample(sample: dict[str, object], shell: Shell) -> tuple[str, str, str]:
    path, line = str(sample["path"]), int(str(sample["line"]))
    place = gettext("%(path)s, line %(line)s") % {"path": path, "line": line}
    url = shell.addresses.file(path, rev=int(str(sample["seq"])), line=line)
    return place, url, str(sample["text"])


def _warnings(forgetting: Forgetting) -> list[str]:
    """Return warnings about a forgetting; once done, the places that are left."""
    plan, found = forgetting.plan, []
    if forgetting.state == _STATE.DONE:
        return _left(forgetting)
    if not plan:
        return []
    if count := len(plan["now"]):
        words = {"n": count}
        if forgetting.keep_files:
            text = ngettext(
                "%(n)s file on disk stays as it is, and still holds it.",
                "%(n)s files on disk stay as they are, and still hold it.",
                count,
            )
        else:
            text = ngettext(
                "%(n)s file on disk is changed too.",
                "%(n)s files on disk are changed too.",
                count,
            )
        found.append(text % words)
    if plan["elsewhere"]:
        others = {"names": listed(plan["elsewhere"])}
        text = gettext("The same versions stay in other workspaces: %(names)s.")
        found.append(text % others)
    if plan["names"]:
        text = ngettext(
            "%(n)s name of a file holds it too, and stays.",
            "%(n)s names of files hold it too, and stay.",
            plan["names"],
        )
        found.append(text % {"n": plan["names"]})
    return found


def _left(forgetting: Forgetting) -> list[str]:
    result = forgetting.result
    found = [
        gettext("Not written: %(file)s") % {"file": file}
        for file in result.get("left", [])
    ]
    if kept := result.get("kept", []):
        words = {"names": listed(kept)}
        found.append(gettext("Files on disk still hold it: %(names)s") % words)
    if backups := result.get("backups", 0):
        text = ngettext(
            "%(n)s backup from before still holds it.",
            "%(n)s backups from before still hold it.",
            backups,
        )
        found.append(text % {"n": backups})
    return found


def _progress(forgetting: Forgetting) -> tuple[int, int]:
    job = Job.objects.filter(
        kind=Job.Kind.FORGETTING, payload={"forgetting": forgetting.pk}
    ).last()
    return (job.done, job.total) if job else (0, 0)
