"""Presenter of the export preview: files, conflicts, diffs, consequences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from django.utils.translation import gettext, gettext_lazy, ngettext, ngettext_lazy

from memoryhub.exports.preview import FilePreview, OpenClash
from memoryhub.formats.text.diffing import (
    Hunk,
    change_counts,
    diff_lines,
    first_changes,
    hunks,
    split_text,
)
from memoryhub.health.queries import host_of
from memoryhub.journal.authors import changed_by, owners_of
from memoryhub.journal.hosts import HostLimit
from memoryhub.journal.models import Revision, SourceFile, Workspace
from memoryhub.sync.edit.staging import staged_paths
from memoryhub.values.budgets import Budget
from memoryhub.values.tokens import seed
from memoryhub.web.kit.clashes import Shown, shown_clash
from memoryhub.web.kit.frame import Shell
from memoryhub.web.kit.labels import clauses, problem_text
from memoryhub.web.kit.links import with_query

_RESULT_LINES = 2_000
_DIFF_LINES = 400
#: Seconds for comparing lines: once for the counts of all files, once for the open one.
_SECONDS = 2.0

_STATES = {
    "conflict": ("conflict", gettext_lazy("Conflict")),
    "changed": ("progress", gettext_lazy("Changed")),
    "new": ("done", gettext_lazy("New")),
    "deleted": ("failed", gettext_lazy("Would be deleted")),
    "same": ("idle", gettext_lazy("Nothing to change")),
    "unreadable": ("failed", gettext_lazy("Cannot be written")),
}
_DONE = {
    "set_status": ngettext_lazy("status edited", "status edited %(n)s times", "n"),
    "add_decision": ngettext_lazy("%(n)s decision added", "%(n)s decisions added", "n"),
    "remove_decision": ngettext_lazy(
        "%(n)s decision undone", "%(n)s decisions undone", "n"
    ),
    "supersede": ngettext_lazy(
        "%(n)s decision superseded", "%(n)s decisions superseded", "n"
    ),
    "reject": ngettext_lazy("%(n)s decision rejected", "%(n)s decisions rejected", "n"),
    "sign_decision": ngettext_lazy(
        "%(n)s sign-off written into a line", "%(n)s sign-offs written into lines", "n"
    ),
    "close_item": ngettext_lazy(
        "%(n)s open item closed", "%(n)s open items closed", "n"
    ),
    "reopen_item": ngettext_lazy(
        "%(n)s open item opened again", "%(n)s open items opened again", "n"
    ),
    "add_history": ngettext_lazy(
        "%(n)s history line added", "%(n)s history lines added", "n"
    ),
    "bind": ngettext_lazy("%(n)s session bound", "%(n)s sessions bound", "n"),
    "checkpoint": ngettext_lazy("%(n)s checkpoint", "%(n)s checkpoints", "n"),
}
_SUBJECTS = {
    "set_status": gettext_lazy("Current Status"),
    "bind": gettext_lazy("The session's topic"),
    "add_decision": gettext_lazy("A decision"),
    "checkpoint": gettext_lazy("A checkpoint"),
    "sign_decision": gettext_lazy("A sign-off"),
    "close_item": gettext_lazy("An open item"),
    "reopen_item": gettext_lazy("An open item"),
}
VIEWS = ("resolve", "diff", "result")


def shown_rows(found: Sequence[FilePreview], chosen: str, base: str) -> list[Shown]:
    """Return the rows of a preview; `chosen` is the path of the open file.

    Changed lines are counted until the time budget is spent.
    """
    budget = Budget.of(_SECONDS)
    return [_row(preview, preview.path == chosen, base, budget) for preview in found]


def _row(preview: FilePreview, current: bool, base: str, budget: Budget) -> Shown:
    state, label = _STATES[preview.state]
    before, after = split_text(preview.before), split_text(preview.after)
    lines = [] if budget.is_spent else diff_lines(before, after, budget=budget)
    added, removed = (0, 0) if budget.is_spent else change_counts(lines)
    return {
        "path": preview.path,
        "url": with_query(base, file=preview.path),
        "state": state,
        "label": label,
        "text": _what(preview),
        "added": added,
        "removed": removed,
        "current": current,
        "seen": f"{preview.sha256} {quote(preview.path)}",
    }


def _what(preview: FilePreview) -> str:
    if n := preview.unresolved:
        return ngettext("%(n)s conflict, left out", "%(n)s conflicts, left out", n) % {
            "n": n
        }
    if preview.state == "unreadable":
        return problem_text(preview.reason, {})
    if preview.state == "deleted":
        return gettext("would be deleted: the edit that created it was undone")
    if preview.state == "same":
        return gettext("already in the file")
    counts = Counter(preview.verbs)
    return clauses(_done(verb, n) for verb, n in counts.items())


def _done(verb: str, n: int) -> str:
    words = _DONE.get(verb)
    if words is None:
        return verb.replace("_", " ")
    text: str = words % {"n": n}
    return text


def shown_file(
    workspace: Workspace, preview: FilePreview, view: str, shell: Shell, base: str
) -> dict[str, Any]:
    """Return the open file: conflicts, diff with the conflicts in place, result."""
    budget = Budget.of(_SECONDS)
    before, after = split_text(preview.before), split_text(preview.after)
    changes = hunks(diff_lines(before, after, budget=budget))
    is_coarse = budget.is_spent
    shown = first_changes(changes, _DIFF_LINES)
    at = _place_of(preview)
    base = with_query(base, file=preview.path)
    names = VIEWS if preview.clashes else VIEWS[1:]
    view = view if view in names else names[0]
    labels = {
        "resolve": gettext("Resolve"),
        "diff": gettext("Diff"),
        "result": gettext("Result"),
    }
    return {
        "path": preview.path,
        "view": view,
        "tabs": [(labels[name], f"{base}&view={name}", name == view) for name in names],
        "clashes": _shown_clashes(workspace, preview, shell),
        "hunks_before": [hunk for hunk in shown if _start(hunk) < at],
        "hunks_after": [hunk for hunk in shown if _start(hunk) >= at],
        "hunks": shown,
        "is_cut": sum(len(h.lines) for h in shown) < sum(len(h.lines) for h in changes),
        "is_coarse": is_coarse,
        "result": list(enumerate(after[:_RESULT_LINES], 1)),
        "result_more": max(0, len(after) - _RESULT_LINES),
        "notes": _notes(workspace, preview),
        "unreadable": _what(preview) if preview.state == "unreadable" else "",
    }


def _start(hunk: Hunk) -> int:
    first = hunk.lines[0]
    return first.old or first.new or 0


def _place_of(preview: FilePreview) -> int:
    """Return the line of the first conflict on disk; 0 if it is not found."""
    if not preview.clashes:
        return len(preview.before)
    text = preview.clashes[0].clash.disk
    place = preview.before.find(text) if text.strip() else -1
    return preview.before.count("\n", 0, place) + 1 if place >= 0 else 0


def _shown_clashes(
    workspace: Workspace, preview: FilePreview, shell: Shell
) -> list[Shown]:
    if not preview.clashes:
        return []
    disk = _disk_label(workspace, preview, shell)
    total = len(preview.clashes)
    return [
        _shown_clash(clash, number, total, disk, shell)
        for number, clash in enumerate(preview.clashes, 1)
    ]


def _shown_clash(
    found: OpenClash, number: int, total: int, disk: str, shell: Shell
) -> Shown:
    words = {
        "n": number,
        "total": total,
        "what": _SUBJECTS.get(found.verb, found.verb.replace("_", " ")),
    }
    here = gettext("Here, %(who)s, %(when)s") % {
        "who": found.actor,
        "when": shell.clock.moment(found.at),
    }
    title = gettext("Conflict %(n)s of %(total)s: %(what)s changed on both sides")
    options = {"disk": gettext("Keep disk"), "here": gettext("Keep here")}
    if found.mixable:
        options["both"] = gettext("Both, disk first")
        options["other"] = gettext("Write another text")
    return shown_clash(
        found.clash,
        title % words,
        {"disk": disk, "here": here},
        options,
        found.choice,
        (found.seq, found.number),
    )


def _disk_label(workspace: Workspace, preview: FilePreview, shell: Shell) -> str:
    """Return the label of the disk side: who changed it, and when."""
    rows = Revision.objects.filter(workspace=workspace, path=preview.path)
    last = rows.select_related("blob", "run").order_by("-seq").first()
    if last is None or last.blob is None or last.blob.sha256 != preview.sha256:
        return gettext("On disk, not imported yet")
    words = {
        "who": changed_by(last.actor, owners_of(workspace)(last.path)),
        "when": shell.clock.moment(last.recorded_at),
    }
    return gettext("In the file: %(who)s, %(when)s") % words


def _notes(workspace: Workspace, preview: FilePreview) -> list[str]:
    notes = [
        gettext(
            "The list is full. Writing this drops its oldest entry from the file:"
            " “%(line)s”. MemoryHub keeps it."
        )
        % {"line": line[:200]}
        for line in preview.dropped
    ]
    host = host_of(workspace, preview.path, preview.after)
    if host and host.host:
        notes.append(_size_note(preview, host))
    return notes


def _size_note(preview: FilePreview, host: HostLimit) -> str:
    return gettext("%(name)s %(before)s → %(after)s of %(limit)s tokens.") % {
        "name": preview.path.rpartition("/")[2],
        "before": seed(len(preview.before)),
        "after": seed(len(preview.after)),
        "limit": host.in_tokens,
    }


def identical_count(workspace: Workspace, found: Sequence[FilePreview]) -> int:
    """Count the present files that no staged operation changes."""
    present = SourceFile.objects.filter(workspace=workspace, present=True)
    same = {preview.path for preview in found if preview.state == "same"}
    touched = set(staged_paths(workspace)) - same
    return sum(path not in touched for path in present.values_list("path", flat=True))
