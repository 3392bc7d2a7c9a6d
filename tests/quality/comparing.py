"""Comparison of a workspace's rows with its labels, a kind at a time."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from zoneinfo import ZoneInfo

from tests.quality.imported import Found, Imported
from tests.quality.labels import FileLabels, Label
from tests.quality.matching import (
    Pair,
    bare,
    likeness_of,
    pairs_by_line,
    pairs_of,
)
from tests.quality.outcomes import Outcome, Outcomes, of_pairs, of_values

#: So many entries of a workspace with one title, and it tells none of them apart.
_TOO_MANY = 5
#: A reason and its label are less alike than texts: what introduces it is cut.
_LIKE_REASONS = 0.5
_BECAUSE = re.compile(
    r"\b(?:because|since|otherwise|weil|porque|parce que|so that|as)\b|:|;|, | — |\("
    r"|потому что|так как|因为|因為|ので|から|때문"
)


def compare(imported: Imported, labels: Iterable[FileLabels]) -> Outcomes:
    """Return the outcomes of a workspace by kind."""
    outcomes: Outcomes = {"titles distinct": _titles(imported.entries)}
    for one in labels:
        for kind, outcome in _compare_file(imported, one):
            outcomes.setdefault(kind, Outcome()).add(outcome)
    return outcomes


def _compare_file(
    imported: Imported, labels: FileLabels
) -> Iterator[tuple[str, Outcome]]:
    where = f"{labels.workspace}/{labels.path}"
    decisions = _at(imported.decisions, labels)
    entries = _at(imported.entries, labels)
    decided = pairs_of(labels.decisions, decisions)
    cut = pairs_by_line(labels.entries, entries)
    yield "reasons", of_values(where, map(_reason, decided))
    for kind, wanted, found in (
        ("decisions", labels.decisions, decisions),
        ("directives", labels.directives, _at(imported.directives, labels)),
        ("open items", labels.open_items, _at(imported.open_items, labels)),
    ):
        declared = [one for one in found if one.declared]
        yield kind, of_pairs(where, wanted, declared, pairs_of(wanted, declared))
        shown = f"{kind} shown"
        yield shown, of_pairs(where, wanted, found, pairs_of(wanted, found))
    items = pairs_of(labels.open_items, _at(imported.open_items, labels))
    yield "items closed", of_values(where, map(_closing, items))
    yield "entries cut", of_pairs(where, labels.entries, entries, cut)
    yield "times", of_values(where, (_time(labels, pair) for pair in cut))
    yield "agents of entries", of_values(where, (_agent(labels, p) for p in cut))
    yield "agents of decisions", of_values(where, (_agent(labels, p) for p in decided))
    yield "topics", of_values(where, _topics(imported, labels))


def _at(found: Sequence[Found], labels: FileLabels) -> list[Found]:
    return [one for one in found if one.path == labels.path]


def _titles(entries: Sequence[Found]) -> Outcome:
    """Return how many entries have a title that tells them apart."""
    counted = Counter(one.text for one in entries)
    shared = [one for one in entries if counted[one.text] >= _TOO_MANY]
    right = len(entries) - len(shared)
    false = [f"{one.path}:{one.first}: {one.text}" for one in shared]
    return Outcome(right, len(entries), len(entries), [], false)


def _reason(pair: Pair) -> tuple[str, str, bool]:
    """Compare a reason; one that a decision's own sentence states is right too."""
    label, found = pair
    labelled = label.more.get("reason") or ""
    inside = _BECAUSE.search(label.text) and bare(found.reason) in bare(label.text)
    if found.reason and not labelled and inside:
        return found.reason, found.reason, _is_cause(label, found)
    return labelled, found.reason, likeness_of(labelled, found.reason) > _LIKE_REASONS


def _is_cause(label: Label, found: Found) -> bool:
    """Return whether the sentence leads to the reason by a word for a cause."""
    head = label.text[: max(label.text.find(found.reason[:10]), 0)]
    return bool(_BECAUSE.search(head + found.reason[:12]))


def _time(labels: FileLabels, pair: Pair) -> tuple[str, str, bool]:
    """Compare a time, in the labels' zone, or in UTC where the text says so."""
    label, found = pair
    at = found.at if found.precision in ("minute", "second") else None
    labelled = label.more.get("time") or ""
    zones = (labels.zone or "UTC", *["UTC"] * (found.first in labels.utc_lines))
    clocks = [f"{at.astimezone(ZoneInfo(zone)):%H:%M}" if at else "" for zone in zones]
    return labelled, clocks[0], labelled in clocks


def _closing(pair: Pair) -> tuple[str, str, bool]:
    """Compare where an open item is done; any later file is right."""
    label, found = pair
    wanted = label.more.get("closed_in") or ""
    shown = f"{label.text} in {found.closed_in}" if found.closed_in else ""
    agree = bool(wanted and shown)
    return (f"{label.text} in {wanted}" if wanted else ""), shown, agree


def _agent(labels: FileLabels, pair: Pair) -> tuple[str, str, bool]:
    wanted, found = labels.agent or "", pair[1].agent
    return wanted, found, wanted.casefold() == found.casefold()


def _topics(imported: Imported, labels: FileLabels) -> Iterator[tuple[str, str, bool]]:
    """Compare the topics of a file with those of its rows and its own."""
    rows = (*imported.entries, *imported.decisions, *imported.open_items)
    named = _at([*rows, *imported.topics], labels)
    found = {bare(one.topic): one.topic for one in named if one.topic}
    wanted = {bare(name): name for name in labels.topics}
    for key in found.keys() | wanted.keys():
        labelled, has = wanted.get(key, ""), found.get(key, "")
        yield labelled, has, bool(labelled and has)
