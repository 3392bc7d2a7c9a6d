"""Presenter of forgettings: state, plan, warnings, progress."""

from __future__ import annotations

from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy, ngettext

from memoryhub.forgetting.models import Forgetting
from memoryhub.forgetting.planning import is_empty
from memoryhub.jobs.models import Job
from memoryhub.people.policy import may
from memoryhub.people.rights import Right
from memoryhub.web.kit.frame import Shell
from memoryhub.web.kit.labels import listed

_STATE = Forgetting.State
_SHOWN_FILES = 20

_STATES: dict[str, tuple[str, Promise]] = {
    _STATE.PLANNING: ("waiting", gettext_lazy("Looking")),
    _STATE.PLANNED: ("waiting", gettext_lazy("To be confirmed")),
    _STATE.HIDING: ("waiting", gettext_lazy("Being hidden")),
    _STATE.HIDDEN: ("waiting", gettext_lazy("Hidden")),
    _STATE.RETURNING: ("waiting", gettext_lazy("Being undone")),
    _STATE.TAKEN_BACK: ("stale", gettext_lazy("Undone")),
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


class ShownForgetting:
    """A forgetting with the words of the list and of its page."""

    def __init__(self, forgetting: Forgetting, shell: Shell) -> None:
        plan, state, due = forgetting.plan, forgetting.state, forgetting.due_at
        self.status, self.state = _STATES[state]
        self.number = forgetting.pk
        self.url = shell.addresses.forgetting(forgetting.pk)
        self.title = _title(forgetting)
        self.facts = _facts(forgetting, shell)
        self.moving = state in _MOVING
        self.planned = state == _STATE.PLANNED
        self.hidden = state == _STATE.HIDDEN
        self.empty = self.planned and is_empty(plan)
        self.summary = summary_of(forgetting) if plan else ""
        self.files = [
            # Once it is carried out, the disk is as the warnings say.
            _file(f if self.planned else {**f, "now": False}, shell)
            for f in plan.get("files", [])[:_SHOWN_FILES]
        ]
        self.more_files = max(0, plan.get("file_count", 0) - _SHOWN_FILES)
        self.samples = [_sample(each, shell) for each in plan.get("samples", [])]
        self.warnings = warnings_of(forgetting)
        self.due = shell.clock.moment(due) if due else ""
        self.can_return = state in (_STATE.HIDING, _STATE.HIDDEN)
        self.progress = _progress(forgetting)


def _title(forgetting: Forgetting) -> str:
    """Return a title that does not reveal the forgotten text."""
    kinds = Forgetting.Kind
    match forgetting.kind:
        case kinds.TEXT:
            return gettext("A text")
        case kinds.REGEX:
            return gettext("A pattern")
        case kinds.ENTRY:
            return gettext("An entry")
        case kinds.SECRETS:
            return gettext("Secrets that were found")
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


def summary_of(forgetting: Forgetting) -> str:
    """Return how much a planned forgetting touches."""
    plan = forgetting.plan
    versions, files = plan["versions"], plan["file_count"]
    rows = sum(plan["rows"].values())
    words = {
        "versions": ngettext("%(n)s version", "%(n)s versions", versions)
        % {"n": versions},
        "files": ngettext("of %(n)s file", "of %(n)s files", files) % {"n": files},
        "rows": ngettext("%(n)s row", "%(n)s rows", rows) % {"n": rows},
    }
    return gettext("%(versions)s %(files)s, %(rows)s, and the search index") % words


def _file(file: dict[str, object], shell: Shell) -> dict[str, str]:
    path, count = str(file["path"]), int(str(file["versions"]))
    words = ngettext("%(n)s version", "%(n)s versions", count) % {"n": count}
    if file["now"]:
        words = gettext("%(versions)s, on disk too") % {"versions": words}
    url = shell.addresses.file(path, view="history")
    return {"path": path, "url": url, "text": words}


def _sample(sample: dict[str, object], shell: Shell) -> tuple[str, str, str]:
    path, line = str(sample["path"]), int(str(sample["line"]))
    place = gettext("%(path)s, line %(line)s") % {"path": path, "line": line}
    url = shell.addresses.file(path, rev=int(str(sample["seq"])), line=line)
    return place, url, str(sample["text"])


def warnings_of(forgetting: Forgetting) -> list[str]:
    """Return warnings about a forgetting; once done, the places that are left."""
    plan, found = forgetting.plan, []
    if forgetting.state in (_STATE.HIDDEN, _STATE.DONE):
        return _left(forgetting)
    if not plan:
        return []
    if count := len(plan["now"]):
        words = {"n": count}
        if forgetting.keep_files:
            text = ngettext(
                "%(n)s file on disk stays as it is and still contains it.",
                "%(n)s files on disk stay as they are and still contain it.",
                count,
            )
        else:
            text = ngettext(
                "%(n)s file on disk is changed too.",
                "%(n)s files on disk are changed too.",
                count,
            )
        found.append(text % words)
    if seen := [slug for slug in plan["elsewhere"] if may(Right.READ, slug)]:
        others = {"names": listed(seen)}
        text = gettext("The same versions stay in other workspaces: %(names)s.")
        found.append(text % others)
    if plan["names"]:
        text = ngettext(
            "%(n)s file name contains it too and does not change.",
            "%(n)s file names contain it too and do not change.",
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
    if names := result.get("kept", []):
        words = {"names": listed(names)}
        found.append(gettext("Files on disk still hold it: %(names)s") % words)
    if backups := result.get("backups", 0):
        text = ngettext(
            "%(n)s earlier backup still contains it.",
            "%(n)s earlier backups still contain it.",
            backups,
        )
        found.append(text % {"n": backups})
    return found


def _progress(forgetting: Forgetting) -> tuple[int, int]:
    job = Job.objects.filter(
        kind=Job.Kind.FORGETTING, payload={"forgetting": forgetting.pk}
    ).last()
    return (job.done, job.total) if job else (0, 0)
