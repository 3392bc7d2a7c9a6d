"""One linear model that judges sentences: decision, directive, open work, or none.

Features are hashed words and their pieces, phrases of `phrases.toml`, labels, headings,
neighbours and layout. Weights are bytes in `weights.bin`, so that the answer is the
same on every machine. `memoryhub.prose.fit` makes them.
"""

from __future__ import annotations

import json
import math
import re
import sys
from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import chain, repeat
from pathlib import Path
from typing import Literal
from zlib import crc32

import ahocorasick

from memoryhub.prose.labels import kind_of_label, state_of, tables
from memoryhub.prose.units import Block, Unit

Kind = Literal["decision", "directive", "open"]
KINDS: tuple[Kind, ...] = ("decision", "directive", "open")

BITS = 18
_MASK = (1 << BITS) - 1
#: Each family of features together has this length.
FAMILIES = dict(T=2.0, P=1.0, S=1.0, K=1.0, L=0.8, H=0.8, C=0.6, X=0.3, A=0.5)
_WORD = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+|[^\W\d_]+(?:['’][^\W\d_]+)?|\d+"
    r"|[→?？!！…;；:：%€$£~\"“”„«»「」()/]"
)
_HAN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_HANGUL = re.compile(r"[\uac00-\ud7af]")
#: A word that tells something: of four letters, or in a script without spaces.
_TELLING = re.compile(rf"....|{_HAN.pattern}|{_HANGUL.pattern}")
_SCRIPTS = (
    ("ja", re.compile("[\u3040-\u30ff]")), ("zh", re.compile("[\u3400-\u9fff]")),
    ("ko", _HANGUL), ("ru", re.compile("[\u0400-\u04ff]")),
)  # fmt: skip
#: Letters of the pieces of a word.
_PIECES: tuple[int, ...] = (3, 5)
_SIZES = (1, 12, 25, 50, 90, 160)
_DIGIT = re.compile(r"\d")
#: What a state behind a text may stand behind.
_TAIL_BEGINS = "-–—→:(,"
#: Bits of the sums of three kinds and of the number of buckets in a packed number.
_SUMS, _COUNT, _SUM = (0, 24, 48), 72, (1 << 24) - 1
_FROM_ZERO = bytes((n + 128) % 256 for n in range(256))
_MOST_SUMS = 30_000
#: Logit below which the order of words made no suggestion of 3,005 in labelled texts.
_HOPELESS = -2.0
_WEIGHTS = Path(__file__).parent / "weights.bin"


#: Parts of the name of a feature.
Key = tuple[object, ...]


def _id(name: str) -> int:
    return crc32(name.encode("utf-8", "surrogatepass")) & _MASK


def _plain(text: str) -> str:
    return text.casefold().replace("’", "'")


def words_of(text: str) -> list[str]:
    """Return the words of a text in one case, numbers by their length."""
    found: list[str] = _WORD.findall(_plain(text))
    if _DIGIT.search(text):
        return ["0" * min(len(w), 5) if w.isdigit() else w for w in found]
    return found


def ids_of(key: Key) -> list[int]:
    """Return the buckets of a feature; of a word, behind a NUL, those of its pieces."""
    if key[0] == "&H":
        # The headings above, the innermost first.
        _, kind, head, *others = (str(one).casefold() for one in key)
        own = *_words("H\0", head), ("H=", head), ("H", kind, "=", head)
        above = (one for text in others for one in _words("Gw", text))
        return [at for one in (*own, *above) for at in ids_of(one)]
    name = "".join(map(str, key))
    if "\0" not in name:
        return [_id(name)]
    prefix, _, word = name.partition("\0")
    found = [] if _HAN.search(word) else [_id(f"{prefix}w{word}")]
    if not word.isalpha():
        return [_id(f"{prefix}w{word}")]
    framed, sizes = (f"<{word}>", _PIECES) if found else (word, (1, 2, 3))
    if found and _HANGUL.search(word):
        sizes = (2, 3)
    begin = crc32(f"{prefix}c".encode())
    for n in sizes:
        pieces = [framed[i : i + n].encode() for i in range(len(framed) - n + 1)]
        found += [crc32(piece, begin) & _MASK for piece in pieces]
    return found


def phrases_of(kind: str) -> list[str]:
    """Return the phrases of a kind in all languages."""
    return [phrase for some in tables("phrases.toml")[kind].values() for phrase in some]


@cache
def phrases() -> ahocorasick.Automaton:
    """Return an automaton of the phrases with their kinds."""
    automaton = ahocorasick.Automaton()
    for kind in tables("phrases.toml"):
        for phrase in phrases_of(kind):
            known = automaton.get(phrase, ())
            automaton.add_word(phrase, (*known, (kind, phrase)))
    automaton.make_automaton()
    return automaton


def phrases_in(text: str) -> Iterator[tuple[str, str]]:
    """Yield kind and words of each phrase in a text; words are whole, not parts."""
    low = _plain(text)
    for end, found in phrases().iter(low):
        for kind, phrase in found:
            before = low[max(0, end - len(phrase)) : end + 1 - len(phrase)]
            cut_before = phrase[0].isalpha() and before.isalpha()
            cut_behind = phrase[-1].isalpha() and low[end + 1 : end + 2].isalpha()
            is_whole = not (cut_before or cut_behind)
            if is_whole or _HAN.search(phrase) or _HANGUL.search(phrase):
                yield kind, phrase


#: Features by family.
Features = dict[str, Iterable[Key]]


def of_block(block: Block) -> Features:
    """Return the features that all units of a block have."""
    kind, lead = block.kind, kind_of_label(block.lead)
    parent = kind_of_label(block.parent.label) if block.parent else ""
    found: Features = {
        "S": [
            ("bias",), ("Sp", min(block.place, 6)), ("Sh", min(len(block.heads), 4)),
            ("S", kind, "" if block.box is None else f"[{block.box}]", block.mark),
            ("Sd", min(block.depth, 4), kind, block.parent is not None),
            *([("S~",)] if "~~" in block.text else ()),
        ]
    }  # fmt: skip
    around: list[Key] = [("KD", lead, kind), ("KP", parent)]
    around += (("KS", told) for cell in block.cells if (told := state_of(cell)))
    tail = block.text[1 + max(map(block.text.rfind, _TAIL_BEGINS)) :]
    if tail and not block.cells:
        around.append(("KT", state_of(tail)))
    found["K"] = around
    if block.heads:
        found["H"] = [("&H", kind, *block.heads[:3])]
    if block.columns:
        cells = " ".join(block.cells)[:200]
        found["C"] = chain(_words("Cw", " ".join(block.columns)), _words("cw", cells))
    elif block.lead:
        found["C"] = _words("D\0", block.lead)
    return found


def of_unit(units: Sequence[Unit], place: int) -> Features:
    """Return the features of a unit among those of its text, but those of its block."""
    unit = units[place]
    block, text, label, quoted = unit.block, unit.text, unit.label, unit.quoted
    kind, end = block.kind, text[-1:]
    heads = [kind_of_label(head) for head in block.heads[:3]]
    own, above = kind_of_label(label), next(filter(None, heads), "")
    nearest = own or kind_of_label(block.lead)
    if not nearest and block.parent:
        nearest = kind_of_label(block.parent.label)
    scripts = () if text.isascii() else _SCRIPTS
    script = next((name for name, one in scripts if one.search(text)), "la")
    found: Features = {
        "S": (
            ("Sq", quoted, kind), ("Sf", unit.is_first, unit.is_last, kind),
            ("Sb", block.bold, unit.is_first), ("Sc", text[:1].isupper(), kind),
            ("Sl", bisect_right(_SIZES, len(text)), kind), ("Sg", script, kind, quoted),
            ("Se", "x" if end.isalnum() else end, kind),
            ("S?", "?" in text or "？" in text), ("S>", "→" in text or "->" in text),
            ("SL", label != "", label[:1] == "[", kind, quoted, block.timed),
            ("Sn", _DIGIT.search(text) is not None),
        ),
        "K": (
            ("KL", own), ("KH", heads[0] if heads else "", kind, label != ""),
            ("KA", above, kind, unit.is_first),
            ("KX", nearest or above, kind, block.parent is not None),
        ),
    }  # fmt: skip
    if label:
        found["L"] = [*_words("L\0", label), ("L=", label.casefold())]
    if named := [*phrases_in(f"{label}: {text}" if label else text)]:
        counts = Counter(kind for kind, _ in named)
        many = [("P", one, min(n, 3)) for one, n in counts.items()]
        where = [("P", one, kind, quoted) for one in counts]
        found["P"] = [*(("P=", one, " ", said) for one, said in named), *many, *where]
    near: list[Key] = []
    for step, same, other in ((-1, "P", "Q"), (1, "N", "O")):
        beside = units[place + step] if 0 <= place + step < len(units) else None
        if beside and beside.block.heads == block.heads:
            prefix, by = same if beside.block is block else other, beside.block
            near.append((prefix, "KL", kind_of_label(beside.label)))
            near.append((prefix, "S", by.kind, by.box, by.mark))
    if near:
        found["X"] = near
    if quoted:
        found["A"] = chain(_words("B\0", unit.before), _words("A\0", unit.behind))
    return found


def _words(prefix: str, text: str) -> Iterator[Key]:
    return zip(repeat(prefix), words_of(text))


def order_of(words: Sequence[str]) -> list[str]:
    """Return the names of pairs of words, of the beginning and the end of a text."""
    if not words:
        return []
    first, last = words[0], words[-1]
    begun = (f"^{first[:6]}", f"^^{' '.join(words[:2])}", f"^^^{' '.join(words[:3])}")
    pairs = (f"b{a} {b}" for a, b in zip(words, words[1:]))  # noqa: B905, RUF007
    return [*pairs, *begun, f"${last[-4:]}", f"$${last[-2:]}"]


class _Model(dict[Key | str, int]):
    """The weights of each feature, packed: how many buckets, and a sum for each kind.

    A weight is a byte from 1 on, so that three sums fit beside each other in a number.
    A word stands for the features of a text's word.
    """

    def __init__(self) -> None:
        head, _, body = _WEIGHTS.read_bytes().partition(b"\n")
        told, packed = json.loads(head), bytearray(8 << BITS)
        self.scales: list[float] = told["scales"]
        self.cuts: dict[str, list[float]] = told["cuts"]
        for k, at in enumerate(_SUMS):
            plane = body[k << BITS : (k + 1) << BITS]
            packed[at // 8 :: 8] = plane.translate(_FROM_ZERO)
        self._weights = array("q", bytes(packed))
        if sys.byteorder == "big":
            self._weights.byteswap()

    def __missing__(self, key: Key | str) -> int:
        at = ids_of(("\0", key) if isinstance(key, str) else key)
        if len(self) > _MOST_SUMS:
            self.clear()
        self[key] = found = self.sum_at(at)
        return found

    def sum_at(self, at: Sequence[int]) -> int:
        """Return the packed sum of some buckets."""
        return sum(map(self._weights.__getitem__, at), len(at) << _COUNT)


_model = cache(_Model)


def cuts_of(kind: Kind) -> Sequence[float]:
    """Return above which probability a kind is shown, below which a label doubted."""
    return _model().cuts[kind]


class Judge:
    """Judges the units of one text."""

    def __init__(self, units: Sequence[Unit]) -> None:
        self._units = units
        self._model = _model()
        #: The sums of a block by family, which its units share.
        self._block: tuple[Block | None, dict[str, int]] = None, {}

    def of(self, place: int, *, whole: bool = True) -> list[float]:
        """Return how likely a unit is of each of `KINDS`, roughly if not `whole`."""
        block, words = self._units[place].block, words_of(self._units[place].text)
        sum_of = self._model.__getitem__
        if self._block[0] is not block:
            shared = of_block(block).items()
            self._block = block, {f: sum(map(sum_of, some)) for f, some in shared}
        sums = self._block[1].copy()
        for family, some in of_unit(self._units, place).items():
            sums[family] = sum(map(sum_of, some), sums.get(family, 0))
        sums["T"] = sum(map(sum_of, words))
        logits = [] if whole else self._logits(sums)
        if whole or max(logits) > _HOPELESS:
            # Pairs of words are too many to remember each.
            sums["T"] += self._model.sum_at([_id(name) for name in order_of(words)])
            logits = self._logits(sums)
        return [min(0.99, 1 / (1 + math.exp(-logit))) for logit in logits]

    def _logits(self, sums: dict[str, int]) -> list[float]:
        one = two = three = zero = 0.0
        for family, told in sums.items():
            if number := told >> _COUNT:
                length = FAMILIES[family] / math.sqrt(number)
                zero += length * number * 128
                one += length * (told & _SUM)
                two += length * (told >> 24 & _SUM)
                three += length * (told >> 48 & _SUM)
        by_kind = zip((one, two, three), self._model.scales, strict=True)
        return [max(-30.0, (told - zero) * scale) for told, scale in by_kind]


def why(units: Sequence[Unit], place: int, kind: Kind) -> str:
    """Return the phrases, then long words, that speak most for a kind."""
    unit, sum_of, at = units[place], _model().__getitem__, _SUMS[KINDS.index(kind)]

    def weight(*key: object) -> float:
        number = (told := sum_of(key)) >> _COUNT
        return ((told >> at & _SUM) - 128 * number) / math.sqrt(number)

    named = {one for one in phrases_in(unit.text) if one[1][0].isalpha()}
    told = " ".join(phrase for _, phrase in named)
    weighed = [(1, weight("P=", k, " ", p), p) for k, p in named]
    words = {w for w in words_of(unit.text) if w.isalpha() and w not in told}
    weighed += [(0, weight("\0", w), w) for w in filter(_TELLING.search, words)]
    best = [one for _, weight, one in sorted(weighed, reverse=True) if weight > 0]
    return ", ".join(best[:3])
