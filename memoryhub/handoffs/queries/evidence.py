"""Evidence of a handoff's side effects: files that changed, commits that it names."""

from __future__ import annotations

import re
from typing import NamedTuple

from django.db.models import Max, Min, Q

from memoryhub.formats.text.mentions import find_mentions
from memoryhub.handoffs.models import Handoff, HandoffStep
from memoryhub.handoffs.rules.acting import DONE, FAILED, REVIEW
from memoryhub.journal.authors import changed_by, owners_of
from memoryhub.journal.models import Revision

#: Most files that are named, and versions that are looked at for them.
_FILES, _VERSIONS = 50, 2_000
#: Hashes of commits as git prints them: abbreviated or whole, with a digit.
_COMMIT = re.compile(r"\b(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b")
_COMMITS = 20


class ChangedFile(NamedTuple):
    """A file that changed: how, by whom in words, if the result names it."""

    path: str
    kind: str
    by: str
    named: bool


class Evidence(NamedTuple):
    """Files changed while the work was done; files that only the result names; commits.

    `more`: further files changed.
    """

    files: tuple[ChangedFile, ...] = ()
    unchanged: tuple[str, ...] = ()
    commits: tuple[str, ...] = ()
    more: int = 0


def evidence_of(handoff: Handoff) -> Evidence | None:
    """Return a result's side effects by the journal; None without a result.

    Counted is what was recorded from the time it was taken, else sent, until it was
    reported, in the workspace that does the work.
    """
    if handoff.state not in (DONE, FAILED, REVIEW) or not handoff.result_status:
        return None
    said = f"{handoff.result}\n{handoff.side_effects}"
    claimed = tuple(dict.fromkeys(find_mentions(said).files))
    files = _changed(handoff, claimed)
    seen = {file.path for file in files}
    unchanged = (path for path in claimed if not any(_is(path, p) for p in seen))
    commits = dict.fromkeys(found[0] for found in _COMMIT.finditer(said))
    return Evidence(
        tuple(files[:_FILES]),
        tuple(unchanged),
        tuple(commits)[:_COMMITS],
        max(0, len(files) - _FILES),
    )


def _changed(handoff: Handoff, claimed: tuple[str, ...]) -> list[ChangedFile]:
    """Return the changed files, the newest first, each once."""
    steps = HandoffStep.objects.filter(handoff=handoff, last_seq__isnull=True)
    bounds = steps.aggregate(
        taken=Min("first_seq", filter=Q(verb="taken", is_result=False)),
        reported=Max("first_seq", filter=Q(is_result=True)),
    )
    since, until = bounds["taken"] or handoff.first_seq, bounds["reported"] or 0
    rows = Revision.objects.filter(workspace=handoff.workspace_id, seq__gt=since)
    rows = rows.filter(seq__lt=until) if until else rows
    rows = rows.exclude(path=handoff.file.path).order_by("-seq")
    versions = list(rows.values_list("path", "kind", "actor")[:_VERSIONS])
    owner = owners_of(handoff.workspace)
    found: dict[str, ChangedFile] = {}
    for path, kind, actor in versions:
        named = any(_is(claim, path) for claim in claimed)
        by = changed_by(actor, owner(path))
        found.setdefault(path, ChangedFile(path, kind, by, named))
    return list(found.values())


def _is(claim: str, path: str) -> bool:
    """Return whether a path that a text names is this file."""
    return claim == path or path.endswith(f"/{claim}") or claim.endswith(f"/{path}")
