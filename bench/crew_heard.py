"""Checks of inboxes: every step reaches those it concerns, every message once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from bench.crew_calls import Ledger
from bench.crew_files import LogLine
from bench.crew_history import History, Violation
from bench.crew_judge import is_pool

#: Verbs that nobody else needs to hear of.
_SILENT = frozenset({"sent"})


def unheard(
    found: Mapping[str, History], ledgers: Mapping[str, Ledger]
) -> Iterator[Violation]:
    """Yield steps missing from an inbox and messages delivered twice.

    `ledgers`: by the agent's name."""
    heard = {name: Counter(_news(ledger)) for name, ledger in ledgers.items()}
    for history in found.values():
        for each in history.matched:
            for name in _hearers(history, each.line) & heard.keys():
                yield from _checked(history, each.line, name, heard[name])


def messages_heard(ledgers: Iterable[Ledger]) -> int:
    """Return how many messages agents were given."""
    return sum(news[1] == "said" for ledger in ledgers for news in ledger.heard)


def _news(ledger: Ledger) -> Iterator[tuple[str, str, str]]:
    for task_id, verb, _, reason in ledger.heard:
        yield task_id, verb, reason if verb == "said" else ""


def _hearers(history: History, line: LogLine) -> set[str]:
    """Return who has to hear of a line: sender, recipient, whoever reviews."""
    file = history.file
    names = {file.sender, *({file.recipient} if not is_pool(file.recipient) else ())}
    if file.review not in ("", "sender", "coordinator", "person"):
        names.add(file.review)
    if line.verb in _SILENT:
        return set()
    return {name.rpartition("/")[2] for name in names} - {line.actor}


def _checked(
    history: History, line: LogLine, name: str, heard: Counter[tuple[str, str, str]]
) -> Iterator[Violation]:
    task_id, text = history.file.task_id, line.reason if line.verb == "said" else ""
    times = heard[task_id, line.verb, text]
    if times == 0:
        yield Violation("unheard", f"{name} of {line.verb} of {history.file.name}")
    if line.verb == "said" and times > 1:
        yield Violation("heard-twice", f"{name} of {text} {times} times")
