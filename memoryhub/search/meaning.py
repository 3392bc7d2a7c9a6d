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
from pathlib import Path
from typing import Any

from memoryhub.search.texts import LINE_CHARACTERS, IndexedText

_VECTORS = "weights/l2_supercat_256.safetensors"
_TOKENS = "tokenizers/l2_supercat_tokenizer_config.json"
_NEEDED = ("numpy", "safetensors", "tokenizers")

_log = logging.getLogger(__name__)


def folder() -> Path | None:
    """Return the folder of the package with the vectors; None without the extra."""
    if not all(map(find_spec, _NEEDED)):
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


class Model:
    """Vectors of texts: the sums of those of their tokens."""

    def __init__(self, place: Path) -> None:
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
        self._numpy = import_module("numpy")
        tokenizers = import_module("tokenizers")
        self._tokenizer = tokenizers.Tokenizer.from_file(str(place / _TOKENS))
        self._tokenizer.no_padding()
        read = import_module("safetensors").safe_open
        with read(place / _VECTORS, framework="np", device="cpu") as file:
            self._table = file.get_tensor("embedding.weight")

    def vectors(self, texts: Sequence[str]) -> list[Any]:
        """Return the vector of each text, of float32."""
        found = self._tokenizer.encode_batch_fast(
            [text[:LINE_CHARACTERS] for text in texts], add_special_tokens=False
        )
        total, kind = self._numpy.add.reduce, self._numpy.float32
        return [total(self._table[one.ids], axis=0, dtype=kind) for one in found]

    def lines(self, text: IndexedText, numbers: Sequence[int]) -> list[Any]:
        """Return the vectors of lines by their numbers from 1, computed once."""
        known = text.vectors
        missing = [number for number in numbers if number not in known]
        if missing:
            found = self.vectors([text[number - 1] for number in missing])
            known.update(zip(missing, found, strict=True))
        return [known[number] for number in numbers]

    def cosines(
        self, query: str, places: Sequence[tuple[IndexedText, int]]
    ) -> list[tuple[float, float]]:
        """Return the cosine of a query to each line, alone and with its neighbours."""
        if not places:
            return []
        alone, near = [], []
        for text, number in places:
            around = range(max(1, number - 1), min(len(text), number + 1) + 1)
            vectors = self.lines(text, around)
            alone.append(vectors[around.index(number)])
            near.append(sum(vectors[1:], vectors[0]))
        (asked,) = self.vectors([query])
        return list(zip(self._to(asked, alone), self._to(asked, near), strict=True))

    def _to(self, asked: Any, vectors: list[Any]) -> list[float]:
        """Return the cosines of vectors to one."""
        rows = self._numpy.stack(vectors)
        norms = self._numpy.linalg.norm(rows, axis=1) * self._numpy.linalg.norm(asked)
        found: list[float] = ((rows @ asked) / (norms + 1e-6)).tolist()
        return found
