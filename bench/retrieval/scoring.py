"""Ask a served hub the questions, and score the passages it returns."""

from __future__ import annotations

import json
import statistics
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, fields
from http.client import HTTPConnection
from pathlib import Path
from time import perf_counter

from bench.retrieval.conversations import Question

#: Results and tokens an agent asks for.
MOST_RESULTS, TOKENS = 50, 1_000
_FILES = 5


@dataclass(frozen=True, slots=True)
class Given:
    """Lines of a file that an answer gave."""

    path: str
    first: int
    last: int
    text: str

    def holds(self, path: str, line: int) -> bool:
        """Return whether a line is in the range that the answer names."""
        return path == self.path and self.first <= line <= self.last


@dataclass(frozen=True, slots=True)
class Score:
    """Figures from 0 to 1 of an answer, or means of several.

    `file_at_5`: a file with evidence is among the first five. `whole`: share of the
    evidence lines whose text is given from end to end. `named`: share within the ranges
    of the results. `mrr`: reciprocal rank of the first result with evidence.
    """

    file_at_5: float
    whole: float
    named: float
    mrr: float

    @classmethod
    def mean(cls, scores: Iterable[Score]) -> Score:
        """Return the means of scores."""
        rows = list(scores)
        names = [item.name for item in fields(cls)]
        return cls(
            *(statistics.mean(getattr(row, name) for row in rows) for name in names)
        )


class Asking:
    """A connection to a hub; `seconds` are the durations of its requests."""

    def __init__(self, port: int, token: str) -> None:
        self._connection = HTTPConnection("127.0.0.1", port, timeout=60)
        self._headers = {
            "Content-Type": "application/json",
            "Authorization": f"Bearer {token}",
        }
        self.seconds: list[float] = []

    def search(self, slug: str, query: str) -> list[Given]:
        """Call memory_search as an agent does."""
        asked = {
            "query": query,
            "max_results": MOST_RESULTS,
            "token_budget": TOKENS,
        }
        address = f"/api/v1/workspaces/{slug}/tools/memory_search"
        began = perf_counter()
        self._connection.request("POST", address, json.dumps(asked), self._headers)
        answer = self._connection.getresponse()
        body = answer.read()
        self.seconds.append(perf_counter() - began)
        if answer.status != 200:
            raise RuntimeError(f"{answer.status} {body.decode()}")
        return [
            Given(hit["path"], hit["from_line"], hit["to_line"], hit["snippet"])
            for hit in json.loads(body)["data"]["results"]
        ]


def score(question: Question, given: list[Given], root: Path) -> Score:
    """Score an answer; `root` is the folder of the question's workspace."""
    files = list(dict.fromkeys(one.path for one in given))[:_FILES]
    share = 1 / len(question.evidence)
    whole = named = 0.0
    for path, line in question.evidence:
        holding = [one for one in given if one.holds(path, line)]
        text = (root / path).read_text().splitlines()[line - 1].strip()
        named += share * bool(holding)
        whole += share * any(text in one.text for one in holding)
    ranks = (
        rank
        for rank, one in enumerate(given, 1)
        if any(one.holds(*place) for place in question.evidence)
    )
    found = any(path in files for path, _ in question.evidence)
    return Score(float(found), whole, named, 1 / next(ranks, float("inf")))


def by_category(rows: Iterable[tuple[Question, Score]]) -> dict[int, list[Score]]:
    """Return the scores of the questions of each category."""
    grouped: dict[int, list[Score]] = defaultdict(list)
    for question, one in rows:
        grouped[question.category].append(one)
    return dict(sorted(grouped.items()))
