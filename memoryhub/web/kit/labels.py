"""Codes in words: problems, refusals, events, imports; translated."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import (
    gettext,
    gettext_lazy,
    ngettext,
    pgettext,
    pgettext_lazy,
)

from memoryhub.errors.wording import HINDRANCES

HANDOFF_PROBLEMS: dict[str, Promise] = {
    "handoff-line-undated": gettext_lazy(
        "a line of the handoff's log has no time: “{text}”"
    ),
    "handoff-block-broken": gettext_lazy("the block of {task_id} is broken: {problem}"),
    "handoff-block-unread": gettext_lazy(
        "the task {task_id} is not read: it stands in a fence, a list or a sentence"
    ),
    "handoff-line-unknown": gettext_lazy(
        "a line of the handoff's log was not understood: “{text}”"
    ),
    "handoff-due-unknown": gettext_lazy("a handoff has an invalid due time: “{text}”"),
    "handoff-not-yours": gettext_lazy("only {who} or a coordinator can do this"),
    "handoff-needs-coordinator": gettext_lazy("only a coordinator can do this"),
    "sign-off-no-place": gettext_lazy(
        "no line of a file can take this sign-off, or one states it already"
    ),
    "sign-off-needs-person": gettext_lazy(
        "only a person signs off, signed in to the hub's pages"
    ),
    "sign-off-not-yours": gettext_lazy("only {who} may sign decisions off here"),
    "review-needs-person": gettext_lazy(
        "only a person accepts it, signed in to the hub's pages"
    ),
    "handoff-not-signed": gettext_lazy(
        "the decision {task_id} is not signed off: it cannot begin"
    ),
    "handoff-lane-busy": gettext_lazy(
        "{actor} is writing for {task_id}: one write runs at a time"
    ),
    "handoff-lane-order": gettext_lazy(
        "{first} comes first: writes run in the order they were sent"
    ),
    "handoff-after": gettext_lazy("{task_id} comes after {first}, which is {state}"),
    "handoff-after-unknown": gettext_lazy("there is no handoff {task_id} to wait for"),
    "handoff-priority": gettext_lazy(
        "“{priority}” is no priority: high, normal or low"
    ),
    "handoff-state": gettext_lazy(
        "{task_id} is {state} by now: “{verb}” is not possible"
    ),
    "handoff-over": gettext_lazy("{task_id} has ended already: {state}"),
    "handoff-elsewhere": gettext_lazy(
        "“{to}” is in another workspace, which this token cannot reach"
    ),
    "handoff-unknown": gettext_lazy("there is no handoff {task_id}"),
    "handoff-signed": gettext_lazy("{actor} has signed off {task_id} already"),
    "handoff-withdrawn": gettext_lazy("{task_id} was withdrawn by {actor}"),
    "handoff-not-taken": gettext_lazy(
        "{task_id} is {state}: take it first, then it can be “{verb}”"
    ),
    "handoff-type-other": gettext_lazy("{task_id} is {type}: it cannot be “{verb}”"),
    "handoff-again-open": gettext_lazy(
        "the work of {task_id} went on as {other}, which is not finished"
    ),
    "handoff-not-own": gettext_lazy(
        "the task of {task_id} is in {path}: change it there, then send it again"
    ),
    "handoff-reason-missing": gettext_lazy("enter a reason in one line"),
    "handoff-id-taken": gettext_lazy("there is a handoff {task_id} already"),
    "handoff-id-invalid": gettext_lazy(
        "“{task_id}” cannot be the id of a handoff: at most 80 characters that a file's"
        " name can have on every system, without commas"
    ),
    "handoff-type": gettext_lazy("“{type}” is not a type of handoff"),
    "handoff-status": gettext_lazy(
        "“{status}” is not a result: done, failed or blocked"
    ),
    "handoff-result-to": gettext_lazy(
        "“{path}” cannot get the result: name an inbox of a Claude Code team, or, for"
        " an agent of another workspace, a memory file"
    ),
    "handoff-due": gettext_lazy("“{due}” cannot be written as a time"),
    "handoff-other-id": gettext_lazy("the result is of another handoff, {task_id}"),
    "handoff-part-missing": gettext_lazy("the handoff has no “{part}”"),
    "handoff-part-long": gettext_lazy("“{part}” is longer than {most} characters"),
    "handoff-not-plain": gettext_lazy("the text contains NUL characters"),
    "handoff-not-kept": gettext_lazy(
        "cannot be written: a name is a template placeholder, or a block is not closed"
    ),
    "handoff-ambiguous": gettext_lazy(
        "several handoffs are called {task_id}: choose by code, {choices}"
    ),
}
_PROBLEMS = {
    "unreadable": gettext_lazy("cannot be read: {reason}"),
    "not-imported": gettext_lazy(
        "could not be imported ({error}); its text is stored, see the hub's log"
    ),
    "many-lines": gettext_lazy(
        "has more than {lines} lines: each change takes seconds of processor time;"
        " everything goes on, but split the file by day or topic"
    ),
    "gone-at-once": gettext_lazy(
        "{reason} files disappeared at once, as when a folder is not mounted"
        " ({names}); they are not treated as deleted, and nothing is written here"
        " until they are back or a person confirms that they were deleted"
    ),
    "not-watched": gettext_lazy(
        "the system watches no more folders, so that changes are seen within a minute,"
        " not at once: raise fs.inotify.max_user_watches and start the hub again"
    ),
    "result-not-delivered": gettext_lazy(
        "the result cannot be appended to {reason}, as its sender asked"
    ),
    "twin-missing": gettext_lazy(
        "hands work to {reason}, an agent of another workspace that has no record of"
        " it: a file here cannot write there"
    ),
    "old-version-open": gettext_lazy(
        "a program still has the old version of this file open; what it adds to it is"
        " carried over"
    ),
    "draft-left": gettext_lazy(
        "a draft file of the hub was left here and cannot be completed: {reason}"
    ),
    "link-not-followed": gettext_lazy(
        "is a link that is not followed: its target is not imported"
    ),
    "log-shrank": gettext_lazy("shrank by {lines} lines; revision {seq} has them"),
    "memory-shrank": gettext_lazy("shrank by {lines} lines; revision {seq} has them"),
    "memory-gone": gettext_lazy("was deleted; revision {seq} has its {lines} lines"),
    "write-lost": gettext_lazy(
        "another program saved over what {actor} wrote; revision {seq} has it"
    ),
    "version-damaged": gettext_lazy(
        "the hub's copy of this version is damaged; the file on disk is not touched"
    ),
    "version-gone": gettext_lazy("this version was forgotten and no longer exists"),
    "forgotten-again": gettext_lazy(
        "contains forgotten text again; the hub does not store it"
    ),
    "pattern-short": gettext_lazy(
        "too short to search for: at least {least} characters"
    ),
    "pattern-invalid": gettext_lazy("not a valid regular expression: {reason}"),
    "pattern-slow": gettext_lazy("this pattern takes too long to look for"),
    "file-unknown": gettext_lazy("the file {path} never existed"),
    "entry-without-lines": gettext_lazy("no file has {row} on lines of its own"),
    "forgetting-empty": gettext_lazy("there is nothing to forget"),
    "forgetting-state": gettext_lazy("#{number} is in another state by now"),
    "forgetting-over": gettext_lazy("it is too late to undo #{number}"),
    "forgetting-order": gettext_lazy(
        "#{number} comes first: undo it, or wait until it ends"
    ),
    "bytes-replaced": gettext_lazy(
        "{count} characters replace bytes that are not text; the bytes are stored"
    ),
    "encoding-unknown": gettext_lazy(
        "is not readable: its text is neither UTF-8, UTF-16 nor Windows-1252; the bytes"
        " are stored, and nothing is taken from it"
    ),
    "conflict-markers": gettext_lazy(
        "has conflict markers up to line {last}: nothing is taken from either"
        " side until one is chosen"
    ),
    "conflict-copy": gettext_lazy("is a copy of {of}: nothing is taken from it"),
    "backup-copy": gettext_lazy("is a copy of {of} that an editor left; not imported"),
    "swap-file": gettext_lazy(
        "is vim's swap file of {of}: it may hold unsaved text, see vim -r; not imported"
    ),
    "database-other": gettext_lazy(
        "the database is of another version of MemoryHub: start the hub again"
    ),
    **HINDRANCES,
    "json-invalid": gettext_lazy("is not valid JSON: {reason}"),
    "json-not-a-map": gettext_lazy("contains no map of sessions to topics"),
    "section-missing": gettext_lazy("the snapshot has no section “{title}”"),
    "section-empty": gettext_lazy("the snapshot's section “{title}” is empty"),
    "sections-out-of-order": gettext_lazy(
        "the snapshot's sections are not in their usual order"
    ),
    "phase-unknown": gettext_lazy(
        "the snapshot's phase “{phase}” is not one of the six"
    ),
    "path-relative": gettext_lazy("the snapshot names “{path}” by a relative path"),
    "code-too-long": gettext_lazy("the snapshot holds {lines} lines of code"),
    "timestamp-missing": gettext_lazy("the snapshot has no timestamp"),
    "snapshot-id-missing": gettext_lazy("the snapshot has no id"),
    "unterminated": gettext_lazy("the snapshot has no end comment"),
    "fence-open": gettext_lazy(
        "a code fence is never closed: entries and snapshots below it are not read"
    ),
    "memory-unreadable": gettext_lazy("memory {index} of the bundle cannot be read"),
    **HANDOFF_PROBLEMS,
}

_NO_PHASE = gettext_lazy("the snapshot does not say its phase")

#: Kinds of events: singular and plural.
KINDS: dict[str, tuple[Promise, Promise]] = {
    "snapshot": (gettext_lazy("Snapshot"), gettext_lazy("Snapshots")),
    "decision": (gettext_lazy("Decision"), gettext_lazy("Decisions")),
    "handoff": (gettext_lazy("Handoff"), gettext_lazy("Handoffs")),
    "compaction": (gettext_lazy("Compaction"), gettext_lazy("Compactions")),
    "history": (gettext_lazy("History line"), gettext_lazy("History")),
    "note": (gettext_lazy("Daily note"), gettext_lazy("Daily notes")),
    "memory": (gettext_lazy("Session memory"), gettext_lazy("Session memories")),
    "session": (gettext_lazy("Session"), gettext_lazy("Sessions")),
    "topic": (gettext_lazy("Topic"), gettext_lazy("Topics")),
    "file": (gettext_lazy("File"), gettext_lazy("Files")),
    "edit": (gettext_lazy("Edited here"), gettext_lazy("Edits here")),
    "import": (gettext_lazy("Import"), gettext_lazy("Imports")),
}

ICONS = {
    "snapshot": "snapshot",
    "decision": "decision",
    "handoff": "handoff",
    "compaction": "compact",
    "history": "clock",
    "note": "pen",
    "memory": "brain",
    "session": "session",
    "topic": "topics",
    "file": "file",
    "edit": "edit",
    "import": "import",
}

#: Verbs of events, where the kind alone is not enough.
_VERBS: dict[tuple[str, str], Promise] = {
    ("snapshot", "changed"): gettext_lazy("changed"),
    ("decision", "signed_off"): gettext_lazy("signed off"),
    ("decision", "rejected"): gettext_lazy("rejected"),
    ("decision", "superseded"): gettext_lazy("superseded"),
    ("decision", "stated"): gettext_lazy("recorded again"),
    ("decision", "dropped"): gettext_lazy("no longer in any file"),
    ("handoff", "sent"): pgettext_lazy("handoff", "sent"),
    ("handoff", "open"): pgettext_lazy("handoff", "open"),
    ("handoff", "in_progress"): gettext_lazy("in progress"),
    ("handoff", "taken"): gettext_lazy("taken"),
    ("handoff", "blocked"): gettext_lazy("blocked"),
    ("handoff", "done"): gettext_lazy("done"),
    ("handoff", "review"): gettext_lazy("done, to be accepted"),
    ("handoff", "accepted"): gettext_lazy("accepted"),
    ("handoff", "failed"): gettext_lazy("failed"),
    ("handoff", "signed_off"): gettext_lazy("signed off"),
    ("handoff", "sign_off_claimed"): gettext_lazy("sign-off in a file, not confirmed"),
    ("handoff", "sent_back"): gettext_lazy("sent back"),
    ("handoff", "returned"): gettext_lazy("sent back"),
    ("handoff", "revised"): gettext_lazy("changed and sent again"),
    ("handoff", "reopened"): gettext_lazy("opened again"),
    ("handoff", "put_back"): gettext_lazy("put back"),
    ("handoff", "withdrawn"): gettext_lazy("withdrawn"),
    ("handoff", "said"): gettext_lazy("wrote a message"),
    ("handoff", "overridden"): gettext_lazy("out of turn"),
    ("handoff", "handed_off_again"): gettext_lazy("handed off again"),
    ("note", "changed"): gettext_lazy("changed"),
    ("note", "ticked"): gettext_lazy("ticked off"),
    ("memory", "changed"): gettext_lazy("changed"),
    ("session", "changed"): gettext_lazy("changed"),
    ("session", "bound"): gettext_lazy("bound"),
    ("session", "rebound"): gettext_lazy("bound to another topic"),
    ("topic", "added"): gettext_lazy("new topic"),
    ("topic", "status"): gettext_lazy("new status"),
    ("topic", "removed"): gettext_lazy("no longer there"),
    ("edit", "restore"): gettext_lazy("restored"),
    ("edit", "revert_change"): gettext_lazy("change reverted"),
    ("edit", "edit_text"): gettext_lazy("edited in review"),
    ("edit", "remove_new"): gettext_lazy("removed in review"),
    ("edit", "redact"): gettext_lazy("redacted"),
    ("edit", "forget_file"): gettext_lazy("forgotten"),
    ("edit", "bring_back_forgotten"): gettext_lazy("brought back"),
    ("edit", "place_file"): pgettext_lazy("file", "new"),
    ("edit", "replace_file"): gettext_lazy("changed"),
    ("edit", "remove_file"): gettext_lazy("deleted"),
    ("edit", "repoint"): gettext_lazy("pointer changed"),
    ("edit", "append_error"): gettext_lazy("line added"),
    ("edit", "remove_error"): gettext_lazy("line removed"),
    ("edit", "append_text"): gettext_lazy("text added"),
    ("edit", "remove_text"): gettext_lazy("text removed"),
    ("edit", "append_snapshot"): gettext_lazy("snapshot saved"),
    ("edit", "remove_snapshot"): gettext_lazy("snapshot removed"),
    ("edit", "clear_problem"): gettext_lazy("problem cleared"),
    ("edit", "bring_back_problem"): gettext_lazy("problem brought back"),
    ("edit", "set_status"): gettext_lazy("new status"),
    ("edit", "add_decision"): gettext_lazy("decision added"),
    ("edit", "remove_decision"): gettext_lazy("decision removed"),
    ("edit", "supersede"): gettext_lazy("decision superseded"),
    ("edit", "reject"): gettext_lazy("decision rejected"),
    ("edit", "sign_decision"): gettext_lazy("sign-off written into its line"),
    ("edit", "close_item"): gettext_lazy("open item closed"),
    ("edit", "reopen_item"): gettext_lazy("open item opened again"),
    ("edit", "add_history"): gettext_lazy("history line added"),
    ("edit", "remove_history"): gettext_lazy("history line removed"),
    ("edit", "bind"): gettext_lazy("session bound"),
    ("edit", "assign"): gettext_lazy("assigned"),
    ("edit", "accept"): gettext_lazy("suggestion accepted"),
    ("edit", "dismiss"): gettext_lazy("suggestion dismissed"),
    ("edit", "ask_again"): gettext_lazy("verdict on a suggestion undone"),
    ("edit", "send_handoff"): gettext_lazy("handoff sent"),
    ("edit", "unsend_handoff"): gettext_lazy("handoff undone"),
    ("edit", "log_handoff"): gettext_lazy("handoff changed"),
    ("edit", "revise_handoff"): gettext_lazy("handoff changed"),
    ("edit", "unrevise_handoff"): gettext_lazy("step of a handoff taken back"),
    ("edit", "sign_handoff"): gettext_lazy("handoff changed"),
    ("edit", "take_back_step"): gettext_lazy("step of a handoff undone"),
    ("edit", "add_memory_update"): gettext_lazy("memory update added"),
    ("edit", "drop_memory_update"): gettext_lazy("memory update removed"),
    ("edit", "add_inbox_message"): gettext_lazy("message added to an inbox"),
    ("edit", "drop_inbox_message"): gettext_lazy("message taken out of an inbox"),
    ("edit", "checkpoint"): gettext_lazy("checkpoint"),
    ("edit", "auto_save"): gettext_lazy("noted by a hook"),
    ("edit", "take_back_checkpoint"): gettext_lazy("checkpoint undone"),
    ("file", "added"): pgettext_lazy("file", "new"),
    ("file", "changed"): gettext_lazy("changed"),
    ("file", "moved"): gettext_lazy("moved"),
    ("file", "moved_changed"): gettext_lazy("moved and changed"),
    ("file", "deleted"): gettext_lazy("deleted"),
}

_TONES = {
    "done": "done",
    "accepted": "done",
    "sent_back": "blocked",
    "returned": "blocked",
    "withdrawn": "stale",
    "signed_off": "done",
    "ticked": "done",
    "in_progress": "progress",
    "blocked": "blocked",
    "failed": "failed",
    "rejected": "failed",
    "superseded": "stale",
    "dropped": "stale",
    "deleted": "stale",
    "removed": "stale",
}


def problem_text(code: str, parameters: dict[str, Any]) -> str:
    """Return a problem in words; an unknown code is spelled out with its parameters."""
    if code == "phase-unknown" and not parameters.get("phase"):
        return str(_NO_PHASE)
    if code == "secrets" and isinstance(n := parameters.get("count"), int):
        return ngettext("%(n)s probable secret", "%(n)s probable secrets", n) % {"n": n}
    if code == "hidden-characters" and isinstance(n := parameters.get("count"), int):
        return ngettext(
            "%(n)s character that hides text or turns its direction; it is shown as an"
            " escape",
            "%(n)s characters that hide text or turn its direction; they are shown as"
            " escapes",
            n,
        ) % {"n": n}
    template = str(_PROBLEMS.get(code) or "")
    if not template:
        details = ", ".join(f"{k} {v}" for k, v in parameters.items() if v != "")
        words = code.replace("-", " ")
        return f"{words} ({details})" if details else words
    try:
        return template.format(**parameters)
    except (KeyError, IndexError):
        return gettext("unknown problem")


def secrets_found(count: int, files: int) -> str:
    """Return the number of probable secrets and of their files."""
    words = {
        "secrets": ngettext("%(n)s secret", "%(n)s secrets", count) % {"n": count},
        "files": ngettext("%(n)s file", "%(n)s files", files) % {"n": files},
    }
    return gettext("%(secrets)s in %(files)s") % words


def event_title(kind: str, title: str, data: dict[str, Any]) -> str:
    """Return an event's title, the agent's own words if it has any."""
    before, after = data.get("before"), data.get("after")
    if kind == "compaction" and isinstance(before, int) and isinstance(after, int):
        words = {"before": before, "after": after}
        return gettext("Compacted %(before)s → %(after)s messages") % words
    return title or gettext("Without a title")


def first_import_title(data: dict[str, Any]) -> str:
    """Return the title of the first import: how many files it read."""
    number = data.get("added") or 0
    text = ngettext(
        "First import: %(n)s file read", "First import: %(n)s files read", number
    )
    return text % {"n": number}


def event_detail(kind: str, detail: str, data: dict[str, Any]) -> str:
    """Return an event's detail line."""
    if kind == "compaction":
        return _compaction(data)
    if kind == "import":
        return run_text(data)
    if kind == "snapshot":
        return _snapshot(data)
    if kind == "file" and data.get("from"):
        return gettext("from %(path)s") % {"path": data["from"]}
    if kind == "session" and detail:
        return gettext("works on %(topic)s") % {"topic": detail}
    return detail


def event_verb(kind: str, verb: str) -> tuple[str, str]:
    """Return an event's verb and its tone; both can be empty."""
    word = _VERBS.get((kind, verb))
    return (str(word), _TONES.get(verb, "")) if word else ("", "")


def run_text(counts: dict[str, Any]) -> str:
    """Return the non-zero counts of an import in words."""
    named = (
        ("added", gettext("%(n)s added")),
        ("changed", gettext("%(n)s changed")),
        ("moved", gettext("%(n)s moved")),
        ("deleted", gettext("%(n)s deleted")),
    )
    parts = [words % {"n": counts[name]} for name, words in named if counts.get(name)]
    if problems := counts.get("problems"):
        parts.append(
            ngettext("%(n)s problem", "%(n)s problems", problems) % {"n": problems}
        )
    return clauses(parts) or gettext("nothing changed")


def _compaction(data: dict[str, Any]) -> str:
    before, after = data.get("before"), data.get("after")
    parts = []
    if isinstance(before, int) and isinstance(after, int) and 0 < after < before:
        fewer = round((before - after) * 100 / before)
        parts.append(gettext("%(percent)s%% fewer") % {"percent": fewer})
    if data.get("saved"):
        parts.append(gettext("saved before it ran"))
    else:
        parts.append(gettext("no save before it is recorded"))
    return clauses(parts)


def _snapshot(data: dict[str, Any]) -> str:
    parts = [str(data.get("phase") or "")]
    if isinstance(data.get("percent"), int):
        parts.append(f"{data['percent']}%")
    if data.get("blocked"):
        parts.append(gettext("blocked"))
    return clauses(part for part in parts if part)


def clauses(parts: Iterable[str]) -> str:
    """Join parts of a sentence with the comma of the reader's language."""
    return gettext(", ").join(parts)


def headed(name: object, value: object) -> str:
    """Return a name and its value with the colon of the reader's language."""
    return gettext("%(name)s: %(value)s") % {"name": name, "value": value}


def sentences(parts: Iterable[str]) -> str:
    """Join sentences with the full stop of the reader's language."""
    return gettext(". ").join(parts)


#: What files say before the cause of a block, where a page says it already.
_WAITING = re.compile(r"(?:waits?|waiting) (?:for|on) (?:the )?(?=\w)", re.IGNORECASE)


def awaited_cause(text: str) -> str:
    """Return the cause of a block without a leading "waits for" or "waiting on"."""
    return _WAITING.sub("", text, count=1) if _WAITING.match(text) else text


def listed(names: Iterable[str]) -> str:
    """Join names with the mark that the reader's language has between names."""
    return pgettext("between names", ", ").join(names)
