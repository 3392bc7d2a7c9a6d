"""Presenter of imports: check of a draft, progress, result."""

from __future__ import annotations

import re
from typing import Any

from django.template.defaultfilters import filesizeformat
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy, ngettext

from memoryhub.formats.text.hidden import escape_of, with_escapes
from memoryhub.jobs.models import Job
from memoryhub.journal.models import Workspace
from memoryhub.journal.problems import GONE_AT_ONCE
from memoryhub.sync.uploads import UploadRefused
from memoryhub.timeline.queries.workspaces import problems_of_run, run_or_none
from memoryhub.web.health.presenters.problems import shown_problems
from memoryhub.web.kit.frame import Shell
from memoryhub.web.kit.labels import problem_text, run_text
from memoryhub.web.kit.links import addresses_of, with_query

_SHOWN_PROBLEMS = 10
#: Progress announcements to screen readers per job.
_QUARTERS = 4
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")

#: Names of the dialects for people.
FORMATS: dict[str, Promise] = {
    "topic_context": gettext_lazy("Topics (context-*.md)"),
    "session_map": gettext_lazy("Session map"),
    "task_snapshot": gettext_lazy("Files of snapshots"),
    "daily_log": gettext_lazy("Daily logs"),
    "session_transcript": gettext_lazy("Session transcripts"),
    "memory_index": gettext_lazy("MEMORY.md"),
    "dreaming": gettext_lazy("Dreaming reports"),
    "active_context": gettext_lazy("Working contexts"),
    "decision_log": gettext_lazy("Decision logs"),
    "decision_record": gettext_lazy("Decision records"),
    "exec_plan": gettext_lazy("Execution plans"),
    "spec_kit": gettext_lazy("Specifications of features"),
    "error_log": gettext_lazy("Error logs"),
    "project_notes": gettext_lazy("Project notes"),
    "session_compact": gettext_lazy("Session memories"),
    "memory_tip": gettext_lazy("Tips"),
    "handoff": gettext_lazy("Handoffs"),
    "handoff_note": gettext_lazy("Handoff notes"),
    "agent_roles": gettext_lazy("Agents and their roles"),
    "agent_team": gettext_lazy("Teams and tasks of Claude Code"),
    "beads": gettext_lazy("Issues of beads"),
    "memory_bank": gettext_lazy("Memory banks"),
    "auto_memory": gettext_lazy("Auto-memory facts"),
    "basic_memory": gettext_lazy("Notes of Basic Memory"),
    "wiki_page": gettext_lazy("Wiki pages of OpenClaw"),
    "rollout_summary": gettext_lazy("Summaries of Codex threads"),
    "raw_memories": gettext_lazy("Raw memories of Codex"),
    "instructions": gettext_lazy("Skills, commands, rules and roles"),
}

_REFUSALS: dict[str, Promise] = {
    "zip-damaged": gettext_lazy("The zip is damaged: {reason}."),
    "zip-encrypted": gettext_lazy("The zip is encrypted; upload it without password."),
    "too-many-files": gettext_lazy(
        "The zip names {count} files; at most {limit} are taken in."
    ),
    "too-large": gettext_lazy("Unpacked it is larger than {limit}."),
    "too-slow": gettext_lazy(
        "After {seconds} seconds only {count} files were unpacked. Zip the memory"
        " folders alone, or name the folder's path."
    ),
    "bomb": gettext_lazy(
        "The zip unpacks to {ratio} times its size, unlike text. It was not opened."
    ),
    "name-absolute": gettext_lazy(
        "“{path}” is an absolute path, which is not allowed in a zip."
    ),
    "name-climbs": gettext_lazy("“{path}” leads out of the folder (../)."),
    "holds-link": gettext_lazy("“{path}” is a link; links are not imported."),
    "no-memory-files": gettext_lazy(
        "None of its {count} files is a memory file (.md, or .json, .txt, .yaml)."
    ),
    "cannot-keep": gettext_lazy("“{path}” cannot be stored: {reason}."),
}


def refusal_text(error: UploadRefused) -> str:
    """Return the reason why an upload is refused."""
    words = dict(error.parameters)
    if "path" in words:
        named = with_escapes(str(words["path"]))
        words["path"] = _CONTROL.sub(escape_of, named)
    if error.code == "too-large":
        words["limit"] = filesizeformat(str(words["limit"]))
    return str(_REFUSALS[error.code]).format(**words)


def shown_check(job: Job) -> dict[str, Any]:
    """Return the check of a draft: recognised formats, problems, sizes."""
    check = job.payload["check"]
    return {
        "formats": [
            {"label": str(FORMATS.get(name, name)), "count": count}
            for name, count in check["formats"]
        ],
        "plain": check["plain"],
        "plain_more": check["plain_count"] - len(check["plain"]),
        "plain_count": check["plain_count"],
        "problems": [
            {
                "path": found["path"],
                "text": problem_text(found["code"], {"reason": found["reason"]}),
            }
            for found in check["problems"]
        ],
        "problem_count": check["problem_count"],
        "skipped": job.payload.get("skipped", 0),
        "inner": check["inner"],
        "files": check["files"],
        "size": filesizeformat(check["size"]),
        "unseen": check["unseen"],
    }


def shown_progress(job: Job, announced: int) -> dict[str, Any]:
    """Return the progress of a job; `announced` is the last quarter read out."""
    quarter = _QUARTERS * job.done // job.total if job.total else 0
    if job.state == Job.State.DONE:
        quarter = _QUARTERS
    return {
        "text": _progress_text(job),
        "done": _done_text(job),
        "failed": _failed_text(job),
        "quarter": max(quarter, announced),
        "announce": gettext("%(n)s %% done") % {"n": quarter * 25}
        if quarter > announced
        else "",
    }


def _progress_text(job: Job) -> str:
    words = {
        "done": job.done,
        "total": job.total,
        "path": job.message,
    }
    if job.state == Job.State.QUEUED:
        return gettext("Waiting for its turn")
    if job.kind == Job.Kind.REMOVAL:
        return _removal_text(job)
    if not job.total:
        return gettext("Looking at the folder")
    if job.kind == Job.Kind.REBUILD:
        return gettext("Replaying %(done)s of %(total)s journal entries") % words
    if not job.message:
        return gettext("Reading %(done)s of %(total)s files") % words
    return gettext("Reading %(done)s of %(total)s files, %(path)s") % words


def _removal_text(job: Job) -> str:
    name = {"name": job.payload["name"]}
    if not job.total:
        return gettext("Deleting %(name)s") % name
    words = {**name, "done": job.done, "total": job.total}
    return gettext("Deleting %(name)s: %(done)s of %(total)s rows") % words


def _done_text(job: Job) -> str:
    """Return the result of a rebuild or removal in words."""
    if job.kind == Job.Kind.REMOVAL:
        words = {"name": job.payload["name"]}
        return gettext("%(name)s and its journal were deleted") % words
    words = {"n": job.result.get("entries", 0)}
    return gettext("%(n)s journal entries replayed") % words


def _failed_text(job: Job) -> str:
    if job.kind == Job.Kind.REMOVAL:
        return gettext("The rest is deleted when the hub starts again")
    return gettext("Nothing more was imported")


def shown_result(job: Job, workspace: Workspace, shell: Shell) -> dict[str, Any]:
    """Return the result of an import with links to its events and problems."""
    number = job.result.get("number", 0)
    run = run_or_none(workspace, number)
    addresses = addresses_of(workspace.slug)
    if run is None or number <= job.payload.get("before", 0):
        return _unchanged(workspace, number, shell) | {"restored": _restored_text(job)}
    counts = {
        "added": run.added,
        "changed": run.changed,
        "moved": run.moved,
        "deleted": run.deleted,
        "problems": run.problem_count,
    }
    rows = problems_of_run(workspace, number)[:_SHOWN_PROBLEMS]
    events = job.result.get("events", 0)
    return {
        "text": run_text(counts),
        "run": run,
        "run_url": addresses.run(number),
        "events": ngettext("%(n)s new event", "%(n)s new events", events)
        % {"n": events},
        "events_url": with_query(addresses.timeline, run=number),
        "problems": shown_problems(workspace, rows, shell),
        "problem_count": run.problem_count,
    }


def _restored_text(job: Job) -> str:
    """Return how many missing files were written back, and which were not."""
    number, left = job.result.get("restored", 0), job.result.get("left", [])
    text = ngettext("%(n)s file is restored", "%(n)s files are restored", number)
    told = [text % {"n": number}] if number else []
    if left:
        told.append(gettext("not restored: %(paths)s") % {"paths": ", ".join(left)})
    return "; ".join(told)


def _unchanged(workspace: Workspace, number: int, shell: Shell) -> dict[str, Any]:
    """Return the result of an import that recorded nothing, with held deletions."""
    found = problems_of_run(workspace, number)
    held = [row for row in found if row.code_name == GONE_AT_ONCE]
    last = {"n": number}
    text = gettext("No changes since import #%(n)s") % last if number else ""
    return {
        "text": text or gettext("No memory files"),
        "run": None,
        "problems": shown_problems(workspace, held, shell),
        "problem_count": len(held),
    }
