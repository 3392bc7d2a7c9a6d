"""Serve a hub with the conversations, ask all questions over HTTP, print the scores.

``python -m bench.retrieval [FOLDER] [--fitted 26,30]``; without a folder the public
set is downloaded.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.crew_hub import Hub, Place
from bench.retrieval.conversations import (
    Question,
    copy_workspaces,
    download,
    questions_in,
)
from bench.retrieval.field import table
from bench.retrieval.scoring import Asking, Score, by_category, score

#: Conversations on which the weights of the ranking were chosen.
FITTED = "26,30,42"
_CATEGORIES = {1: "several places", 2: "time", 3: "open", 4: "one place"}

Rows = Sequence[tuple[Question, Score]]


def main() -> None:
    """Print the figures of the conversations fitted on, and of those held out."""
    options = _options()
    with TemporaryDirectory() as temporary:
        target = Path(temporary)
        try:
            named = options.folder
            folder = Path(named) if named else download(target / "set")
            questions = questions_in(folder)
        except OSError as error:
            sys.exit(f"no set of questions, name a folder that has one: {error}")
        only = set(filter(None, options.only.split(",")))
        questions = [q for q in questions if not only or q.workspace in only]
        rows, asking, cpu = _asked(questions, folder, target / "hub")
    fitted = set(options.fitted.split(","))
    parts = {
        "fitted": [row for row in rows if row[0].workspace in fitted],
        "held out": [row for row in rows if row[0].workspace not in fitted],
        "all": rows,
    }
    print("| questions | n | file@5 | whole | named | MRR |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name, part in parts.items():
        _print(name, part)
    for category, scores in by_category(parts["held out"]).items():
        _print_scores(f"held out, {_CATEGORIES[category]}", scores)
    times = sorted(1e3 * second for second in asking.seconds)
    p95 = statistics.quantiles(times, n=20)[-1]
    print(f"\nrequest: median {statistics.median(times):.1f} ms, p95 {p95:.1f} ms,")
    print(f"CPU of the server {1e3 * cpu / len(rows):.1f} ms a request\n")
    if options.field:
        print(table())
    if options.json:
        _write(Path(options.json), parts, times)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.retrieval")
    parser.add_argument("folder", nargs="?", help="workspaces and queries.jsonl")
    parser.add_argument("--fitted", default=FITTED, help="conversations fitted on")
    parser.add_argument("--only", default="", help="conversations to ask, or all")
    parser.add_argument("--json", help="file for the figures")
    parser.add_argument("--field", action="store_true", help="print others' figures")
    return parser.parse_args()


def _asked(
    questions: Sequence[Question], folder: Path, target: Path
) -> tuple[Rows, Asking, float]:
    """Return the questions with their scores, the requests, the server's CPU time."""
    target.mkdir()
    slugs = copy_workspaces(folder, {q.workspace for q in questions}, target)
    hub = Hub(place := Place(target, slugs))
    hub.start()
    try:
        asking = Asking(hub.port, place.token)
        for slug in slugs:
            asking.search(slug, "warm")
        asking.seconds.clear()
        before = hub.cpu_seconds
        rows = [
            (
                q,
                score(
                    q, asking.search(f"w{q.workspace}", q.text), folder / q.workspace
                ),
            )
            for q in questions
        ]
        return rows, asking, hub.cpu_seconds - before
    finally:
        hub.stop()


def _print(name: str, rows: Rows) -> None:
    _print_scores(name, [one for _, one in rows])


def _print_scores(name: str, scores: Sequence[Score]) -> None:
    if scores:
        figures = " | ".join(f"{x:.3f}" for x in asdict(Score.mean(scores)).values())
        print(f"| {name} | {len(scores)} | {figures} |")


def _write(path: Path, parts: dict[str, Rows], times: list[float]) -> None:
    means = {
        name: asdict(Score.mean(one for _, one in rows))
        for name, rows in parts.items()
        if rows
    }
    path.write_text(json.dumps({**means, "milliseconds": times}) + "\n")


if __name__ == "__main__":
    main()
