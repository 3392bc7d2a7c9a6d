"""Presenter of held files: path, holder, end, overlap."""

from __future__ import annotations

from typing import Any

from memoryhub.claims.queries import live_claims, overlaps
from memoryhub.web.handoffs.presenters.handoff import due_label
from memoryhub.web.kit.frame import Shell


def held_files(shell: Shell, agent: str = "") -> list[dict[str, Any]]:
    """Return the claims that hold, of one agent or of all; overlapping ones first."""
    live = live_claims(shell.workspace, shell.clock.now)
    clashing = {claim.pk for pair in overlaps(live) for claim in pair}
    rows = [
        {
            "row": claim,
            "overlaps": claim.pk in clashing,
            "until": due_label(claim.ends_at, shell.clock),
            "iso": shell.clock.local(claim.ends_at).isoformat(timespec="seconds"),
        }
        for claim in live
        if not agent or claim.agent.casefold() == agent.casefold()
    ]
    return sorted(rows, key=lambda row: not row["overlaps"])
