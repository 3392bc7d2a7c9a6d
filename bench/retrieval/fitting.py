"""Fit the reranker's weights on questions with evidence, cross-fitted, and write them.

``python -m bench.retrieval.fitting FOLDER [--fitted 26,30,42] [--write]`` needs numpy.
The loss is that of a list: minus the log of the share of softmax that lines of evidence
have among the lines of a search.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from unittest import mock

import numpy as np

from bench.retrieval.__main__ import FITTED
from bench.retrieval.conversations import Question, copy_workspaces, questions_in
from bench.retrieval.indexing import index_folders

_CHECKOUT = Path(__file__).parents[2]
_WEIGHTS = _CHECKOUT / "memoryhub" / "search" / "weights.py"
_STEPS, _RATE, _PENALTY = 150, 0.1, 0.01
#: Lines of a search that are fitted on: more than are ranked, which fits better.
_LINES = 150


class Row(NamedTuple):
    """A question's lines: their features, and 1 for each line of evidence."""

    workspace: str
    features: Any
    evidence: Any


def main() -> None:
    """Print the mean reciprocal rank of the best line, before and after."""
    parser = argparse.ArgumentParser(prog="python -m bench.retrieval.fitting")
    parser.add_argument("folder", help="workspaces and queries.jsonl")
    parser.add_argument("--fitted", default=FITTED, help="conversations fitted on")
    parser.add_argument("--write", action="store_true", help="write the weights")
    options = parser.parse_args()
    fitted = options.fitted.split(",")
    with TemporaryDirectory() as temporary:
        names = _indexed(Path(options.folder), Path(temporary))
        rows = list(_rows(questions_in(Path(options.folder))))
    for name in fitted:
        others = [row for row in rows if row.workspace in {*fitted} - {name}]
        _print(f"{name}, left out", rows, {name}, weights_of(others))
    chosen = weights_of([row for row in rows if row.workspace in fitted])
    for name in sorted({row.workspace for row in rows} - {*fitted}):
        _print(f"{name}, held out", rows, {name}, chosen)
    if options.write:
        _write(dict(zip(names, map(float, chosen), strict=True)))


def _indexed(folder: Path, target: Path) -> tuple[str, ...]:
    """Index the conversations in a hub of their own; return the features' names."""
    names = {question.workspace for question in questions_in(folder)}
    slugs = copy_workspaces(folder, names, target)
    index_folders({slug: target / slug for slug in slugs}, target / "data")
    from memoryhub.search.reranking import names_used

    return names_used()


def _rows(questions: Sequence[Question]) -> Iterator[Row]:
    """Yield the features of the lines of each search that has evidence among them."""
    from memoryhub.journal.models import Workspace
    from memoryhub.search import queries, reranking
    from memoryhub.search.lookup import opened_lookup

    for question in questions:
        workspace = Workspace.objects.get(slug=f"w{question.workspace}")
        with mock.patch.object(queries, "reranked", wraps=reranking.reranked) as seen:
            queries.search(workspace, question.text, token_budget=1_000, jumps=False)
        with opened_lookup(workspace) as lookup:
            for call in seen.call_args_list[:1]:
                lines = call.args[0][:_LINES]
                files = lookup.files({line.file for line in lines}) if lookup else {}
                places = [(files[line.file].path, line.line) for line in lines]
                evidence = [float(place in question.evidence) for place in places]
                if any(evidence):
                    with mock.patch.object(reranking, "LINES", _LINES):
                        rows = list(reranking.features(*call.args, **call.kwargs))
                    values = np.array(rows, float)
                    yield Row(question.workspace, values, np.array(evidence))


def weights_of(rows: Sequence[Row]) -> Any:
    """Return the weights with the least loss, by Adam on standardised features."""
    every = np.concatenate([row.features for row in rows])
    spread = every.std(0) + 1e-6
    inputs = [row.features / spread for row in rows]
    shares = [row.evidence / row.evidence.sum() for row in rows]
    weights = mean = square = np.zeros(every.shape[1])
    for step in range(1, _STEPS + 1):
        slope = 2 * _PENALTY * weights
        for values, share in zip(inputs, shares, strict=True):
            slope = slope - values.T @ (share - _softmax(values @ weights)) / len(rows)
        mean = 0.9 * mean + 0.1 * slope
        square = 0.99 * square + 0.01 * slope**2
        scale = np.sqrt(square / (1 - 0.99**step)) + 1e-8
        weights = weights - _RATE * mean / (1 - 0.9**step) / scale
    return weights / spread


def _softmax(values: Any) -> Any:
    powers = np.exp(values - values.max())
    return powers / powers.sum()


def _print(name: str, rows: Sequence[Row], among: set[str], weights: Any) -> None:
    asked = [row for row in rows if row.workspace in among]
    before = np.mean([_reciprocal(row.features[:, 0], row) for row in asked])
    after = np.mean([_reciprocal(row.features @ weights, row) for row in asked])
    print(f"{name}: {len(asked)} questions, MRR of lines {before:.3f} -> {after:.3f}")


def _reciprocal(values: Any, row: Row) -> float:
    ranked = row.evidence[np.argsort(-values, kind="stable")]
    return float(1 / (1 + np.argmax(ranked > 0)))


def _write(weights: dict[str, float]) -> None:
    """Write the weights, those with the meaning of lines where the extra is there."""
    from memoryhub.search import weights as known

    tables = {"WORDS": known.WORDS, "MEANING": known.MEANING}
    tables["MEANING" if "meaning" in weights else "WORDS"] = weights
    text = '"""Weights of the reranker: written by ``bench.retrieval.fitting``."""\n'
    text += "\nfrom __future__ import annotations\n"
    for name, table in tables.items():
        lines = "".join(f'    "{key}": {value:.4f},\n' for key, value in table.items())
        text += f"\n{name}: dict[str, float] = {{\n{lines}}}\n"
    _WEIGHTS.write_text(text)


if __name__ == "__main__":
    main()
