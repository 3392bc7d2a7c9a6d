"""Meaning of lines by static word vectors: the extra ``semantic``.

The vectors and the tokenizer are files of the package ``wordllama``. They are read by
numpy and tokenizers; the package itself, which can download others, is not imported.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from itertools import starmap
from pathlib import Path
from typing import Any, NamedTuple

from django.conf import settings

from memoryhub.search.texts import IndexedText

_VECTORS = "weights/l2_supercat_256.safetensors"
_TOKENS = "tokenizers/l2_supercat_tokenizer_config.json"
_NEEDED = ("numpy", "safetensors", "tokenizers")
#: Neighbours on each side of a line in the widest window.
_REACH = 3
#: Of a longer line only the start is compared.
_CHARACTERS = 1_000

_log = logging.getLogger(__name__)


def folder() -> Path | None:
    """Return the folder of the package with the vectors; None without the extra."""
    if not (settings.MEMORYHUB_SEMANTIC and all(map(find_spec, _NEEDED))):
        return None
    found = find_spec("wordllama")
    place = Path(found.origin).parent if found and found.origin else None
    is_whole = place and all((place / name).is_file() for name in (_VECTORS, _TOKENS))
    return place if is_whole else None


@cache
def model() -> Model | None:
    """Return the model, read once per process; None without the extra."""
    if (place := folder()) is None:
        return None
    try:
        return Model(place)
    except Exception as error:  # whatever is wrong with the package's files
        _log.warning("the extra 'semantic' is not used: %s", error)
        return None


class Cosines(NamedTuple):
    """Cosines of a query to a line: alone, with one and with three neighbours.

    `in_file` is the best of the second among the compared lines of its file.
    """

    alone: float
    near: float
    around: float
    in_file: float


class Model:
    """Vectors of texts: the sums of those of their tokens, rarer ones weighing more."""

    def __init__(self, place: Path) -> None:
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        self._numpy = import_module("numpy")
        tokenizers = import_module("tokenizers")
        self._tokenizer = tokenizers.Tokenizer.from_file(str(place / _TOKENS))
        self._tokenizer.no_padding()
        read = import_module("safetensors").safe_open
        with read(place / _VECTORS, framework="np", device="cpu") as file:
            self._table = file.get_tensor("embedding.weight")

    def cosines(
        self, query: str, places: Sequence[tuple[IndexedText, int]]
    ) -> list[Cosines]:
        """Return the cosines of a query to lines, by their texts and numbers from 1.

        The fewer of these lines and their neighbours have a token, the more it weighs.
        """
        if not places:
            return []
        rows, windows = _windows(places)
        tokens = [*self._tokens([query]), *self._of_lines(rows)]
        asked, *_ = vectors = self._vectors(tokens)
        around = vectors[self._numpy.array(windows)]
        middle = _REACH
        alone = around[:, middle] @ asked
        near = self._unit(around[:, middle - 1 : middle + 2].sum(1)) @ asked
        wide = self._unit(around.sum(1)) @ asked
        best: dict[int, float] = {}
        for (text, _), value in zip(places, near.tolist(), strict=True):
            best[id(text)] = max(value, best.get(id(text), -1.0))
        in_file = (best[id(text)] for text, _ in places)
        values = (alone.tolist(), near.tolist(), wide.tolist(), in_file)
        return list(starmap(Cosines, zip(*values, strict=True)))

    def _of_lines(self, places: Sequence[tuple[IndexedText, int]]) -> list[Any]:
        """Return the tokens of lines, computed once for each."""
        missing = [(text, n) for text, n in places if n not in text.tokens]
        found = self._tokens([text[number - 1] for text, number in missing])
        for (text, number), tokens in zip(missing, found, strict=True):
            text.tokens[number] = tokens
        return [text.tokens[number] for text, number in places]

    def _tokens(self, texts: Sequence[str]) -> list[Any]:
        found = self._tokenizer.encode_batch_fast(
            [text[:_CHARACTERS] for text in texts], add_special_tokens=False
        )
        return [self._numpy.array(one.ids, dtype="int32") for one in found]

    def _vectors(self, tokens: Sequence[Any]) -> Any:
        """Return a unit vector a text, of the query first, and zeros last."""
        numpy, size = self._numpy, len(tokens)
        row_of = numpy.repeat(numpy.arange(size), [len(one) for one in tokens])
        known, column_of = numpy.unique(numpy.concatenate(tokens), return_inverse=True)
        at = row_of * len(known) + column_of
        counts = numpy.bincount(at, minlength=(size + 1) * len(known))
        counts = counts.reshape(size + 1, len(known)).astype("float32")
        found_in = (counts[1:] > 0).sum(0)
        counts *= numpy.log1p((size - 0.5) / (found_in + 0.5)).astype("float32")
        return self._unit(counts @ self._table[known].astype("float32"))

    def _unit(self, vectors: Any) -> Any:
        norms = self._numpy.linalg.norm(vectors, axis=-1, keepdims=True)
        return vectors / (norms + 1e-6)


def _windows(
    places: Sequence[tuple[IndexedText, int]],
) -> tuple[list[tuple[IndexedText, int]], list[list[int]]]:
    """Return the lines around places, and the row of each in the window of a place.

    The query is row 0, a line that is none the last.
    """
    rows: dict[tuple[int, int], int] = {}
    lines: list[tuple[IndexedText, int]] = []
    windows = []
    for text, middle in places:
        window = []
        for number in range(middle - _REACH, middle + _REACH + 1):
            row = -1
            if 0 < number <= len(text):
                row = rows.setdefault((id(text), number), len(rows) + 1)
                if row > len(lines):
                    lines.append((text, number))
            window.append(row)
        windows.append(window)
    return lines, windows
