"""Checks of file claims, from answers alone: one holder, no refusal without one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from bench.crew_alarms import LOOK, WITHIN, Look
from bench.crew_calls import Call
from bench.crew_history import Violation
from bench.crew_judge import FOREVER

_MINUTE = 60.0
#: Kind of the alarm of claims that overlap.
CLAIMS = "claims"


@dataclass(frozen=True, slots=True)
class Holding:
    """A path that an agent surely held, and the longest time that it may have."""

    slug: str
    agent: str
    repository: str
    path: str
    #: Whether it may have been claimed against others, and whether it surely was.
    forced: bool
    pushed: bool
    surely: tuple[float, float]
    maybe: tuple[float, float]

    @property
    def name(self) -> str:
        return f"{self.repository}:{self.path}"

    def meets(self, other: Holding) -> bool:
        """Return whether it is of the files of another agent's."""
        place = self.slug, self.repository
        paths = f"{self.path}/", f"{other.path}/"
        within = paths[0].startswith(paths[1]) or paths[1].startswith(paths[0])
        same = place == (other.slug, other.repository)
        return same and within and self.agent != other.agent


def claims_wrong(calls: Sequence[Call], looks: Sequence[Look]) -> Iterator[Violation]:
    """Yield the violations of file claims and their alarms."""
    asked = sorted((c for c in calls if c.tool == "files_claim"), key=_started)
    held = list(_holdings(asked))
    for one, other in combinations(held, 2):
        alone = not (one.forced or other.forced)
        if alone and one.meets(other) and _common(one.surely, other.surely):
            yield Violation("two-holders", f"{one.name} {one.agent} {other.agent}")
    for call in asked:
        yield from _refused_wrongly(call, held)
    yield from _alarms_wrong(held, looks)


def alarms_of_claims(calls: Sequence[Call]) -> int:
    """Return how many alarms of claims had to be raised for long enough to be seen."""
    asked = sorted((c for c in calls if c.tool == "files_claim"), key=_started)
    return sum(1 for _ in _overlaps(list(_holdings(asked)), "surely"))


def _started(call: Call) -> float:
    return call.started


def _holdings(calls: Sequence[Call]) -> Iterator[Holding]:
    """Yield the holding of each accepted claim or renewal, until it ends."""
    accepted = [call for call in calls if call.accepted]
    for call in accepted:
        action, repository = call.action, call.request["repository"]
        for path in call.request["paths"] if action != "release" else ():
            after = [c for c in accepted if c.started > call.started and _of(c, call)]
            # One that is held stays forced, however it is claimed again.
            forced = any(_of(c, call) and c.request.get("force") for c in accepted)
            ends = [c for c in after if c.action == "release"]
            end = ends[0] if ends else None
            length = _MINUTE * call.request.get("minutes", 60)
            until = end.started if end else FOREVER
            gone = end.ended if end else FOREVER
            # A renewal without minutes may also shorten: what it leaves is sure.
            shorter = [c.started + _MINUTE for c in after if c.action != "release"]
            surely = min([until, call.started + length, *shorter])
            yield Holding(
                call.slug, call.actor, repository, path, forced,
                bool(call.request.get("force")),
                (call.ended, surely), (call.started, min(gone, call.ended + length)),
            )  # fmt: skip


def _of(one: Call, other: Call) -> bool:
    """Return whether two calls are of one agent's claim."""
    keys = ("paths", "repository")
    same = all(one.request[key] == other.request[key] for key in keys)
    return same and (one.slug, one.actor) == (other.slug, other.actor)


def _common(one: tuple[float, float], other: tuple[float, float]) -> float:
    """Return the length of the overlap of two spans; 0 if they are disjoint."""
    return max(0.0, min(one[1], other[1]) - max(one[0], other[0]))


def _refused_wrongly(call: Call, held: Sequence[Holding]) -> Iterator[Violation]:
    """Check that a claim is refused for a holder, a release for the lack of a claim."""
    span = call.started, call.ended
    if call.code == "files-claimed":
        asked = Holding(
            call.slug, call.actor, call.request["repository"],
            call.request["paths"][0], False, False, span, span,
        )  # fmt: skip
        if not any(asked.meets(one) and _common(span, one.maybe) for one in held):
            yield Violation("claim-refused", call.key)
    if call.code == "claim-ended":
        own = [one for one in held if (one.slug, one.agent) == (call.slug, call.actor)]
        for one in own:
            named = one.repository, [one.path]
            is_it = named == (call.request["repository"], call.request["paths"])
            if is_it and one.surely[0] < span[0] and span[1] < one.surely[1]:
                yield Violation("claim-lost", call.key)


def _overlaps(
    held: Sequence[Holding], which: str
) -> Iterator[tuple[frozenset[str], str, tuple[float, float]]]:
    """Give the overlaps that alarms name: agents and paths, workspace, when."""
    for one, other in combinations(held, 2):
        spans = getattr(one, which), getattr(other, which)
        long_enough = WITHIN + 2 * LOOK if which == "surely" else 0.0
        if which == "surely":
            is_forced = one.pushed or other.pushed
        else:
            is_forced = one.forced or other.forced
        if is_forced and one.meets(other) and _common(*spans) > long_enough:
            names = frozenset((one.agent, one.name, other.agent, other.name))
            start, end = max(s[0] for s in spans), min(s[1] for s in spans)
            yield names, one.slug, (start, end)


def _alarms_wrong(
    held: Sequence[Holding], looks: Iterable[Look]
) -> Iterator[Violation]:
    must, may = list(_overlaps(held, "surely")), list(_overlaps(held, "maybe"))
    for look in looks:
        seen = {
            frozenset(name.partition("/")[2].split("|"))
            for kind, name in look.alarms
            if kind == CLAIMS
        }
        for names, slug, (start, end) in must:
            due = start + WITHIN < look.started and look.ended < end
            if due and slug == look.slug and names not in seen:
                yield Violation("alarm-missing", f"claims of {sorted(names)}")
        possible = {
            names
            for names, slug, (start, end) in may
            if slug == look.slug and start < look.ended and look.started < end
        }
        for names in seen - possible:
            yield Violation("alarm-unexpected", f"claims of {sorted(names)}")
