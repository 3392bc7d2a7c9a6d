"""Table of who may do what with a handoff, written from the rules into its docs.

``python -m tests.handoffs.rules_table`` writes it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from memoryhub.handoffs.models import Handoff
from memoryhub.handoffs.rules.acting import Actor, Lane, NotAllowed, check

DOCS = Path(__file__).parents[2] / "memoryhub/dialects/handoff/manual.md"
_HEAD, _GAP = "\n| Act |", "\n\n"
#: Verbs of logs by the action of a tool or page that writes each.
VERBS = {
    "`handoff_take`": "taken", "`handoff_report` done": "done", "`fail`": "failed",
    "`block`": "blocked", "`put_back`": "put back", "`send_back`": "sent back",
    "`revise`": "revised", "`accept`": "accepted", "`reopen`": "reopened",
    "`withdraw`": "withdrawn",
    "`hand_off_again`": "handed off again", "`override`": "overridden",
    "`sign_off`": "signed off",
}  # fmt: skip
STATES = (
    "open", "in_progress", "blocked", "returned", "review", "done", "failed",
    "withdrawn",
)  # fmt: skip
TYPES = ("read_only", "write", "decision")
#: Actors, those with fewer rights first.
ACTORS = {
    "sender": Actor("sender"),
    "recipient": Actor("recipient"),
    "taker": Actor("taker"),
    "reviewer": Actor("reviewer"),
    "coordinator": Actor("lead", coordinates=True),
    "person": Actor("ann", coordinates=True, person=True),
}


def rules_table() -> str:
    """Return the table: a row for each verb, a column for each state."""
    head = ["Act", *(f"`{state}`" for state in STATES)]
    lines = [head, ["---"] * len(head)]
    lines += [
        [f"{name}: {verb}" if verb not in name else name]
        + [_cell(verb, state) for state in STATES]
        for name, verb in VERBS.items()
    ]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _cell(verb: str, state: str) -> str:
    """Return who may do it; by type where the types differ."""
    found = {kind: ", ".join(_allowed(verb, state, kind)) for kind in TYPES}
    if len(set(found.values())) == 1:
        return found["write"] or "–"
    by_who: dict[str, list[str]] = {}
    for kind, who in found.items():
        by_who.setdefault(who, []).append(kind)
    return "; ".join(f"{', '.join(k)}: {who}" for who, k in by_who.items() if who)


def _allowed(verb: str, state: str, kind: str) -> Iterator[str]:
    """Yield the actors who may do it; coordinators only where no other may."""
    signed = "ann" if kind == "decision" and verb == "taken" else ""
    row = Handoff(
        type=kind,
        state=state,
        signed_by=signed,
        task_id="7",
        sender="sender",
        recipient="recipient",
        taken_by="taker",
        review="reviewer",
    )
    may = [name for name, actor in ACTORS.items() if _may(verb, row, actor)]
    few = [name for name in may if name not in ("coordinator", "person")]
    yield from few or may[:1]


def _may(verb: str, row: Handoff, actor: Actor) -> bool:
    try:
        check(verb, row, actor, Lane(), 1)
    except NotAllowed:
        return False
    return True


def with_table(text: str) -> str:
    """Return the docs with the table in the place of the one that they have."""
    before, _, rest = text.partition(_HEAD)
    return f"{before}\n{rules_table()}\n{rest.partition(_GAP)[2]}"


if __name__ == "__main__":
    DOCS.write_text(with_table(DOCS.read_text()))
