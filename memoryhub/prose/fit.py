"""Train the model on labelled files: `python -m memoryhub.prose fit`.

Three logistic regressions over hashed features, fitted by gradient descent with
momentum in numpy, which only training needs. Folds are by group, so that a sibling
half of a group never helps to judge it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, repeat
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
from rapidfuzz.fuzz import ratio

from memoryhub.prose import model
from memoryhub.prose.labels import tables
from memoryhub.prose.stated import FLOOR, Reader, doubt_below
from memoryhub.prose.units import Unit, blocks_of, units_of

#: The groups that nobody trains or tunes on: their files are never shown.
HELD_BACK = frozenset(
    {"apart", "fifth", "seventh", "eleventh", "thirteenth", "eighteenth", "nineteenth"}
)
#: Beginning of the names of groups for training alone: only statements are labelled.
TRAINED = "trained-"
_LABELS = ("decisions", "directives", "open")
#: The weights of phrases, by their table, that are in no file.
PHRASES: dict[model.Kind, dict[str, float]] = {
    "decision": {"decided": 10.0, "decision": 2.0},
    "directive": {"ordered": 11.0, "directive": 2.0},
    "open": {"open": 2.0},
}
WEIGHTS = Path(__file__).parent / "weights.bin"
#: How often is right, in folds, what is declared or shown, and what a label declares:
#: on the groups held back it is then four of five, and eleven of twelve.
SHOWN = {"decision": 0.74, "directive": 0.76, "open": 0.785}
DECLARED = {"decision": 0.875, "directive": 0.805, "open": 0.935}


class Labelled(NamedTuple):
    """A labelled file: its units, and for each kind its labels as line and text."""

    group: str
    path: str
    units: list[Unit]
    labels: list[list[tuple[int, str]]]
    truth: np.ndarray[Any, Any]


def _plain(text: str) -> str:
    return "".join(c for c in text.casefold() if c.isalnum())


def _holds(unit: str, label: str) -> bool:
    """Return whether a unit and a label are alike, or one is part of the other."""
    one, other = _plain(unit), _plain(label)
    if not one or not other:
        return False
    if one == other or (one in other and len(one) >= min(4, len(other))):
        return True
    if other in one:
        return len(other) / len(one) >= 0.3
    return ratio(one, other) > 60


def read(folder: Path) -> list[Labelled]:
    """Return the labelled files of the groups in a folder.

    A line of a listing names its file, or has the text itself as `said`.
    """
    found = []
    for listing in sorted(folder.glob("*/labels.jsonl")):
        for line in listing.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            path = listing.parent / row["workspace"] / row["path"]
            if path.suffix not in (".md", ".markdown", ".mdc", ".txt"):
                continue
            text = row.get("said") or path.read_text(encoding="utf-8")
            units = [
                u for b in blocks_of(text) if b.kind != "head" for u in units_of(b)
            ]
            labels = [
                [(o["line"], o["text"]) for o in row.get(k) or []] for k in _LABELS
            ]
            truth = np.zeros((len(units), 3))
            for kind, some in enumerate(labels):
                for number, words in some:
                    near = [i for i, u in enumerate(units) if u.line == number]
                    near = near or [
                        i for i, u in enumerate(units) if number - 3 <= u.line < number
                    ]
                    truth[[i for i in near if _holds(units[i].text, words)], kind] = 1
            found.append(
                Labelled(
                    listing.parent.name,
                    f"{row['workspace']}/{row['path']}",
                    units,
                    labels,
                    truth,
                )
            )
    return found


class Matrix(NamedTuple):
    """Sparse rows: bucket and value of each feature, and where each row begins."""

    columns: np.ndarray[Any, Any]
    values: np.ndarray[Any, Any]
    rows: np.ndarray[Any, Any]
    size: int


def _features(units: Sequence[Unit], place: int) -> model.Features:
    """Return the features of a unit among those of its text, by family."""
    found = model.of_unit(units, place)
    words = model.words_of(units[place].text)
    order = ((name,) for name in model.order_of(words))
    found["T"] = chain(zip(repeat("\0"), words), order)
    for family, some in model.of_block(units[place].block).items():
        found[family] = chain(found.get(family, ()), some)
    return found


def matrix(rows: Iterable[tuple[Sequence[Unit], int]]) -> Matrix:
    """Return the features of units, each given as the units of its file and a place."""
    columns: list[np.ndarray[Any, Any]] = []
    values: list[np.ndarray[Any, Any]] = []
    lengths = []
    for units, place in rows:
        number = 0
        for family, some in _features(units, place).items():
            ids = [i for key in some for i in model.ids_of(key)]
            length = model.FAMILIES[family] / max(1, len(ids)) ** 0.5
            columns.append(np.array(ids, dtype=np.int32))
            values.append(np.full(len(ids), length, dtype=np.float32))
            number += len(ids)
        lengths.append(number)
    return Matrix(
        np.concatenate(columns),
        np.concatenate(values),
        np.repeat(np.arange(len(lengths)), lengths),
        len(lengths),
    )


def _times(data: Matrix, weights: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return np.bincount(
        data.rows, data.values * weights[data.columns], minlength=data.size
    )


def fit(
    data: Matrix,
    truth: np.ndarray[Any, Any],
    begin: np.ndarray[Any, Any],
    decay: float = 1e-5,
    steps: int = 120,
) -> np.ndarray[Any, Any]:
    """Return the weights of one kind, by Adam over the whole set.

    They begin with those of a prior, and decay to them.
    """
    size = 1 << model.BITS
    weights, mean, square = begin.copy(), np.zeros(size), np.zeros(size)
    for step in range(1, steps + 1):
        p = 1 / (1 + np.exp(-np.clip(_times(data, weights), -30, 30)))
        error = (p - truth) / data.size
        slope = np.bincount(
            data.columns, data.values * error[data.rows], minlength=size
        )
        slope += decay * (weights - begin)
        mean = 0.9 * mean + 0.1 * slope
        square = 0.98 * square + 0.02 * slope * slope
        rate = 0.3 if step < steps * 0.6 else 0.08
        weights -= (
            rate
            * (mean / (1 - 0.9**step))
            / (np.sqrt(square / (1 - 0.98**step)) + 1e-7)
        )
    return weights


def _prior(kind: model.Kind) -> np.ndarray[Any, Any]:
    """Return weights by which phrases of a kind speak for it: few are in the files."""
    weights = np.zeros(1 << model.BITS)
    for table, weight in PHRASES[kind].items():
        for phrase in model.phrases_of(table):
            weights[model.ids_of(("P=", table, " ", phrase))] = weight
    return weights


def subset(data: Matrix, keep: np.ndarray[Any, Any]) -> Matrix:
    """Return the rows that are kept, numbered anew."""
    chosen = keep[data.rows]
    number = np.cumsum(keep) - 1
    return Matrix(
        data.columns[chosen],
        data.values[chosen],
        number[data.rows[chosen]],
        int(keep.sum()),
    )


def save(
    path: Path, weights: Sequence[np.ndarray[Any, Any]], cuts: dict[str, list[float]]
) -> None:
    """Write weights as signed bytes by kind; scales and cuts are in the first line."""
    scales = [float(np.abs(w).max() / 127) or 1.0 for w in weights]
    planes = [
        np.clip(np.round(w / scale), -127, 127).astype(np.int8).tobytes()
        for w, scale in zip(weights, scales, strict=True)
    ]
    head = json.dumps({"scales": scales, "cuts": cuts}).encode()
    path.write_bytes(head + b"\n" + b"".join(planes))


def train(folder: Path, path: Path = WEIGHTS) -> Iterator[str]:
    """Fit weights to the open groups of a folder; yield the scores in folds.

    Two cuts a kind: sentences are suggested above the first; what is below a label is
    declared above the second. Each is the least at which the folds are right as often
    as they shall be; the first with all that is shown, declared or not. Groups with
    more hard cases than real folders have choose no cuts.
    """
    known = [one for one in read(folder) if one.units and one.group not in HELD_BACK]
    choosing = [one for one in known if not one.group.startswith(TRAINED)]
    files = choosing + [one for one in known if one.group.startswith(TRAINED)]
    filed = _filed(choosing)
    data = matrix((one.units, n) for one in files for n in range(len(one.units)))
    truth = np.concatenate([one.truth for one in files])
    cuts: dict[str, list[float]] = {}
    weights = []
    for column, kind in enumerate(model.KINDS):
        judged, begin = _in_folds(files, data, truth[:, column], kind), _prior(kind)
        stated = [places for name, places, _ in filed if name == kind]
        labelled = np.array([doubted for name, _, doubted in filed if name == kind])
        sure = np.array([judged[places].max() for places in stated])
        right = np.array([truth[places, column].max() for places in stated])
        doubt = _least_cut(sure[labelled], right[labelled], DECLARED[kind])
        # What a form states is shown by itself, unless the model finds nothing in it.
        others = np.arange(len(judged)) < sum(len(one.units) for one in choosing)
        others[[place for places in stated for place in places]] = False
        surely = np.where(labelled & (sure < FLOOR), 0, 1)
        shown = _least_cut(
            np.concatenate([judged[others], surely]),
            np.concatenate([truth[others, column], right]),
            SHOWN[kind],
        )
        cuts[kind] = [shown[0], doubt[0]]
        yield f"{kind}: shown {shown}, under labels {doubt}, {labelled.sum()} labelled"
        weights.append(fit(data, truth[:, column], begin))
    save(path, weights, cuts)


def _in_folds(
    files: Sequence[Labelled],
    data: Matrix,
    truth: np.ndarray[Any, Any],
    kind: model.Kind,
    folds: int = 5,
) -> np.ndarray[Any, Any]:
    """Return how likely each unit is, by weights of the groups of other folds."""
    groups = np.concatenate([[one.group] * len(one.units) for one in files])
    judged, names = np.zeros(len(groups)), sorted({one.group for one in files})
    for start in range(folds):
        held = np.isin(groups, names[start::folds])
        found = fit(subset(data, ~held), truth[~held], _prior(kind))
        judged[held] = 1 / (1 + np.exp(-_times(subset(data, held), found)))
    return judged


def earnings(folder: Path, step: int = 100) -> Iterator[str]:
    """Yield precision and recall of suggestions with fewer and fewer phrases.

    Phrases go in the order of their hashes, which is the same everywhere. Nothing is
    written.
    """
    files = [one for one in read(folder) if one.units and one.group not in HELD_BACK]
    truth = np.concatenate([one.truth for one in files])
    table_of = tables("phrases.toml")
    known = {phrase for table in table_of for phrase in model.phrases_of(table)}
    order = sorted(known, key=lambda phrase: crc32(phrase.encode()))
    for number in range(-(-len(order) // step) * step, -1, -step):
        kept = {*order[: number or 1]}
        for words in chain.from_iterable(map(dict.values, table_of.values())):
            words[:] = filter(kept.__contains__, words)
        model.phrases.cache_clear()
        data = matrix((one.units, n) for one in files for n in range(len(one.units)))
        told = []
        for column, kind in enumerate(model.KINDS):
            judged = _in_folds(files, data, truth[:, column], kind, folds=3)
            _, right, found = _least_cut(judged, truth[:, column], 0.8)
            told.append(f"{kind} {right:.2f}/{found:.2f}")
        yield f"{len(kept)} phrases: precision/recall {', '.join(told)}"
    tables.cache_clear()
    model.phrases.cache_clear()


def _filed(files: Iterable[Labelled]) -> list[tuple[str, list[int], bool]]:
    """Return kind and units of each block that its form declares.

    With each whether only a label above declares it.
    """
    found: list[tuple[str, list[int], bool]] = []
    base = 0
    for one in files:
        places: dict[int, list[int]] = {}
        for place, unit in enumerate(one.units, base):
            places.setdefault(id(unit.block), []).append(place)
        base += len(one.units)
        blocks = {id(unit.block): unit.block for unit in one.units}
        reader, told = Reader([*blocks.values()], ()), set[str]()
        for number, block in blocks.items():
            kind, texts = reader.declared(block)
            if kind in model.KINDS and texts[0] not in told:
                found.append((kind, places[number], doubt_below(block, kind) > 0))
                told.update(texts)
    return found


def _least_cut(
    judged: np.ndarray[Any, Any], truth: np.ndarray[Any, Any], least: float
) -> tuple[float, float, float]:
    """Return the least cut of sufficient precision, with its precision and recall."""
    for cut in np.arange(0.04, 0.97, 0.02):
        above = judged >= cut
        right = float(truth[above].mean()) if above.any() else 1.0
        if right >= least:
            break
    return (
        round(float(cut), 2),
        round(right, 3),
        round(float(truth[above].sum() / truth.sum()), 3),
    )
