"""A run of the measurement: import, comparison, report."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from memoryhub.database.schema import ensure_schema
from memoryhub.prose.fit import TRAINED
from tests.quality.comparing import compare
from tests.quality.imported import import_workspace
from tests.quality.labels import read_labels, sets_below
from tests.quality.languages import language_of
from tests.quality.limits import LIMITS, Limit
from tests.quality.outcomes import Outcome, Outcomes

#: The kinds whose figures are told by language.
BY_LANGUAGE = ("decisions", "decisions shown", "directives shown", "open items shown")


class Judging(NamedTuple):
    """Names of the sets that are not judged as those that rules are tuned on.

    Of a set `held_back` only the figures are printed, and its limits are those
    reached. A set `unlimited` never fails a run.
    """

    held_back: frozenset[str]
    unlimited: frozenset[str]

    def limit_of(self, name: str, limit: Limit) -> Limit:
        """Return the limit of a kind that a run fails below, in a set."""
        if name in self.unlimited:
            return Limit(None, None)
        return limit.on_unseen if name in self.held_back else limit


def measure(folders: Iterable[Path], shown: str, judging: Judging) -> int:
    """Report on the sets in these folders; return 1 if one is below a limit."""
    groups = [
        group
        for folder in folders
        for group in sets_below(folder)
        if not group.name.startswith(TRAINED)
    ]
    if not groups:
        return _complain("no labels.jsonl there")
    ensure_schema()
    code = 0
    spoken: dict[str, Outcomes] = {}
    for group in groups:
        is_held = group.name in judging.held_back
        outcomes = _outcomes(group, spoken, " held back" * is_held)
        code = max(code, _report(group.name, outcomes, judging))
        if shown and group.name not in judging.held_back:
            _show(shown, outcomes.get(shown, Outcome()))
    for language, outcomes in sorted(spoken.items()):
        _say(f"{language:13} {', '.join(_figures(outcomes))}")
    return code


def _figures(outcomes: Outcomes) -> Iterator[str]:
    """Yield precision, recall and labels of the kinds that words decide."""
    for kind in BY_LANGUAGE:
        one = outcomes.get(kind, Outcome())
        yield f"{kind} {one.precision:.2f}/{one.recall:.2f} of {one.labelled}"


def _outcomes(group: Path, spoken: dict[str, Outcomes], suffix: str) -> Outcomes:
    """Return the outcomes of a set by kind; add them to those of each language."""
    total: Outcomes = {}
    for name, labels in sorted(read_labels(group).items()):
        imported = import_workspace(group / name, f"{group.name}-{name}"[:50])
        of_language = spoken.setdefault(language_of(group / name) + suffix, {})
        for kind, outcome in compare(imported, labels).items():
            total.setdefault(kind, Outcome()).add(outcome)
            of_language.setdefault(kind, Outcome()).add(outcome)
    return total


def _report(name: str, outcomes: Outcomes, judging: Judging) -> int:
    """Print the table of a set; return 1 if a kind is below its limit there."""
    _say(f"{name:20} {'labels':>7} {'rows':>6} {'right':>6} {'precision':>16} recall")
    code = 0
    for kind, limit in LIMITS.items():
        outcome = outcomes.get(kind, Outcome())
        failed = outcome.is_below(judging.limit_of(name, limit))
        verdict = "BELOW" if failed else "not yet" * outcome.is_below(limit)
        code = max(code, int(failed))
        _say(f"{_row(kind, outcome, limit)} {verdict}".rstrip())
    _say("")
    return code


def _row(kind: str, outcome: Outcome, limit: Limit) -> str:
    counts = f"{outcome.labelled:7} {outcome.found:6} {outcome.right:6}"
    precision = f"{outcome.precision:.3f}{_least(limit.precision)}"
    recall = f"{outcome.recall:.3f}{_least(limit.recall)}"
    return f"{kind:20} {counts} {precision:>16} {recall:16}"


def _least(value: float | None) -> str:
    return f" (>= {value:.2f})" if value is not None else ""


def _show(kind: str, outcome: Outcome) -> None:
    for title, lines in (("missed", outcome.missed), ("false", outcome.false)):
        _say(f"{kind}, {title}: {len(lines)}")
        _list(lines)


def _list(lines: Sequence[str]) -> None:
    for line in lines:
        _say(f"  {line}")


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")


def _complain(line: str) -> int:
    sys.stderr.write(f"{line}\n")
    return 2
