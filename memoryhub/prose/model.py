"""One linear model that judges sentences: decision, directive, open work, or none.

Features are hashed words and their pieces, phrases of `phrases.toml`, labels, headings,
neighbours and layout. Weights are bytes in `weights.bin`, so that the answer is the
same on every machine. `memoryhub.prose.fit` makes them.
"""

from __future__ import annotations

import json
import math
import re
import tomllib
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Literal, NamedTuple
from zlib import crc32

import ahocorasick

from memoryhub.prose.labels import kind_of_label, state_of
from memoryhub.prose.units import Unit

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
    ("ja", re.compile("[\u3040-\u30ff]")),
    ("zh", re.compile("[\u3400-\u9fff]")),
    ("ko", re.compile("[\uac00-\ud7af]")),
    ("ru", re.compile("[\u0400-\u04ff]")),
)
#: Letters of the pieces of a word.
_PIECES = (3, 5)
_SIZES = (1, 12, 25, 50, 90, 160)
_WEIGHTS = Path(__file__).parent / "weights.bin"


class Judged(NamedTuple):
    """The probability of each kind for a unit."""

    decision: float
    directive: float
    open: float


def _id(name: str) -> int:
    return crc32(name.encode("utf-8", "surrogatepass")) & _MASK


@lru_cache(maxsize=16_384)
def words_of(text: str) -> tuple[str, ...]:
    """Return the words of a text in one case, numbers by their length."""
    found = _WORD.findall(text.casefold().replace("’", "'"))
    return tuple("0" * min(len(w), 5) if w.isdigit() else w for w in found)


def ids_of(name: str) -> list[int]:
    """Return the buckets of a feature; of a word, behind a NUL, those of its pieces."""
    prefix, cut, word = name.partition("\0")
    if not cut or not word.isalpha():
        return [_id(f"{prefix}w{word}" if cut else name)]
    found: list[int] = []
    sizes: tuple[int, ...]
    if _HAN.search(word):
        framed, sizes = word, (1, 2, 3)
    else:
        found.append(_id(f"{prefix}w{word}"))
        framed = f"<{word}>"
        sizes = (2, 3) if _HANGUL.search(word) else _PIECES
    begin = crc32(f"{prefix}c".encode())
    for n in sizes:
        pieces = (framed[i : i + n].encode() for i in range(len(framed) - n + 1))
        found += (crc32(piece, begin) & _MASK for piece in pieces)
    return found


@cache
def _tables() -> dict[str, dict[str, list[str]]]:
    text = (Path(__file__).parent / "phrases.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def phrases_of(kind: str) -> list[str]:
    """Return the phrases of a kind in all languages."""
    return [phrase for some in _tables()[kind].values() for phrase in some]


@cache
def _phrases() -> ahocorasick.Automaton:
    """Return an automaton of the phrases with their kinds."""
    automaton = ahocorasick.Automaton()
    for kind in _tables():
        for phrase in phrases_of(kind):
            known = automaton.get(phrase, ())
            automaton.add_word(phrase, (*known, (kind, phrase)))
    automaton.make_automaton()
    return automaton


def phrases_in(text: str) -> Iterator[tuple[str, str]]:
    """Yield kind and words of each phrase in a text; words are whole, not parts."""
    low = text.casefold().replace("’", "'")
    for end, found in _phrases().iter(low):
        for kind, phrase in found:
            start = end + 1 - len(phrase)
            is_cut = (
                phrase[0].isalpha() and low[start - 1 : start].isalpha() and start > 0
            ) or (phrase[-1].isalpha() and low[end + 1 : end + 2].isalpha())
            if not is_cut or _HAN.search(phrase) or _HANGUL.search(phrase):
                yield kind, phrase


#: Names of the features of a unit, by family.
Features = dict[str, Sequence[str]]


def _names(unit: Unit) -> Iterator[str]:
    """Yield the names of the layout of a unit."""
    block, text = unit.block, unit.text
    kind = block.kind
    box = "" if block.box is None else f"[{block.box}]"
    end = text[-1:]
    size = sum(len(text) >= least for least in _SIZES)
    script = next((name for name, one in _SCRIPTS if one.search(text)), "la")
    yield "bias"
    yield f"S{kind}{box}{block.mark}"
    yield f"Sq{unit.quoted}{kind}"
    yield f"Sf{unit.is_first}{unit.is_last}{kind}"
    yield f"Sb{block.bold}{unit.is_first}"
    yield f"Sd{min(block.depth, 4)}{kind}{bool(block.parent)}"
    yield f"Sp{min(block.place, 6)}"
    yield f"Sl{size}{kind}"
    yield f"Se{end if not end.isalnum() else 'x'}{kind}"
    yield f"S?{'?' in text or '？' in text}"
    yield f"S>{'→' in text or '->' in text}"
    yield f"Sc{text[:1].isupper()}{kind}"
    yield f"SL{bool(unit.label)}{unit.label[:1] == '['}{kind}{unit.quoted}{block.timed}"
    yield f"Sg{script}{kind}{unit.quoted}"
    yield f"Sn{any(c.isdigit() for c in text)}"
    yield f"Sh{min(len(block.heads), 4)}"
    if "~~" in block.text:
        yield "S~"


def kinds_around(unit: Unit) -> Iterator[str]:
    """Yield the kinds of what labels a unit, and of the state of its row."""
    block = unit.block
    own, lead = kind_of_label(unit.label), kind_of_label(block.lead)
    heads = [kind_of_label(head) for head in block.heads[:3]]
    above = next((one for one in heads if one), "")
    parent = kind_of_label(block.parent.label) if block.parent else ""
    yield f"KL{own}"
    yield f"KD{lead}{block.kind}"
    yield f"KP{parent}"
    yield f"KH{heads[0] if heads else ''}{block.kind}{bool(unit.label)}"
    yield f"KA{above}{block.kind}{unit.is_first}"
    yield f"KX{own or lead or parent or above}{block.kind}{bool(block.parent)}"
    for cell in block.cells:
        if state := state_of(cell):
            yield f"KS{state}"
    if not block.cells and (tail := re.split(r"[-–—→:(,]", block.text)[-1]):
        yield f"KT{state_of(tail)}"


def _words(prefix: str, text: str, *, pieces: bool = True) -> list[str]:
    mark = "\0" if pieces else "w"
    return [f"{prefix}{mark}{word}" for word in words_of(text)]


def _pairs(text: str) -> list[str]:
    """Return features of the pairs, the beginning and the end of a text."""
    words = words_of(text)
    if not words:
        return []
    found = [f"b{a} {b}" for a, b in zip(words, words[1:])]  # noqa: B905, RUF007
    found += (
        f"^{words[0][:6]}",
        f"^^{' '.join(words[:2])}",
        f"^^^{' '.join(words[:3])}",
        f"${words[-1][-4:]}",
        f"$${words[-1][-2:]}",
    )
    return found


@lru_cache(maxsize=1024)
def _heads(heads: tuple[str, ...], kind: str) -> tuple[str, ...]:
    """Return features of the headings above, the innermost first."""
    head, *others = (one.casefold() for one in heads)
    above = [word for one in others for word in _words("G", one, pieces=False)]
    return *_words("H", head), f"H={head}", f"H{kind}={head}", *above


def features(units: Sequence[Unit], place: int) -> Features:
    """Return the features of a unit among those of its text, by family."""
    unit = units[place]
    block = unit.block
    found: Features = {
        "T": [*_words("", unit.text), *_pairs(unit.text)],
        "S": [*_names(unit)],
        "K": [*kinds_around(unit)],
    }
    if unit.label:
        found["L"] = [*_words("L", unit.label), f"L={unit.label.casefold()}"]
    if block.heads:
        found["H"] = _heads(block.heads[:3], block.kind)
    if block.columns:
        found["C"] = [
            *_words("C", " ".join(block.columns), pieces=False),
            *_words("c", " ".join(block.cells)[:200], pieces=False),
        ]
    elif block.lead:
        found["C"] = _words("D", block.lead)
    named = [*phrases_in(f"{unit.label}: {unit.text}" if unit.label else unit.text)]
    if named:
        counts = Counter(kind for kind, _ in named)
        found["P"] = [
            *(f"P={kind} {phrase}" for kind, phrase in named),
            *(f"P{kind}{min(n, 3)}" for kind, n in counts.items()),
            *(f"P{kind}{block.kind}{unit.quoted}" for kind in counts),
        ]
    near: list[str] = []
    for step, same, other in ((-1, "P", "Q"), (1, "N", "O")):
        beside = units[place + step] if 0 <= place + step < len(units) else None
        if beside and beside.block.heads == block.heads:
            prefix = same if beside.block is block else other
            near += (
                f"{prefix}KL{kind_of_label(beside.label)}",
                f"{prefix}S{beside.block.kind}{beside.block.box}{beside.block.mark}",
            )
    if near:
        found["X"] = near
    if unit.quoted:
        found["A"] = _words("B", unit.before) + _words("A", unit.behind)
    return found


class _Model(NamedTuple):
    """The weights of all buckets by kind, their scales, and the cuts of each kind."""

    weights: tuple[array[int], ...]
    scales: tuple[float, float, float]
    cuts: dict[str, list[float]]
    sums: dict[str, tuple[int, int, int, int]]


@cache
def _model() -> _Model:
    head, _, body = _WEIGHTS.read_bytes().partition(b"\n")
    told = json.loads(head)
    size = 1 << BITS
    planes = tuple(array("b", body[k * size : (k + 1) * size]) for k in range(3))
    return _Model(planes, tuple(told["scales"]), told["cuts"], {})


@cache
def version() -> str:
    """Return a name of the weights: rows that they gave are read again by others."""
    return f"{crc32(_WEIGHTS.read_bytes()):08x}"


def cut_of(kind: Kind) -> float:
    """Return the probability above which a suggestion is shown."""
    return _model().cuts[kind][0]


def doubt_of(kind: Kind) -> float:
    """Return the probability below which a label alone only suggests."""
    return _model().cuts[kind][1]


def _sum_of(name: str, model: _Model) -> tuple[int, int, int, int]:
    """Return how many buckets a feature has, and the sums of their weights."""
    if (known := model.sums.get(name)) is None:
        at = ids_of(name)
        one, two, three = (sum(map(plane.__getitem__, at)) for plane in model.weights)
        if len(model.sums) > 30_000:
            model.sums.clear()
        known = model.sums[name] = (len(at), one, two, three)
    return known


def _logits(found: Features, model: _Model) -> tuple[float, float, float]:
    one = two = three = 0.0
    known = model.sums
    for family, names in found.items():
        number = a = b = c = 0
        for name in names:
            n, x, y, z = known.get(name) or _sum_of(name, model)
            number += n
            a += x
            b += y
            c += z
        if number:
            length = FAMILIES[family] / math.sqrt(number)
            one += length * a
            two += length * b
            three += length * c
    scales = model.scales
    return one * scales[0], two * scales[1], three * scales[2]


def judge(units: Sequence[Unit], place: int) -> Judged:
    """Return how likely a unit among those of its text is of each kind."""
    logits = _logits(features(units, place), _model())
    return Judged(*(1 / (1 + math.exp(-max(-30.0, min(30.0, z)))) for z in logits))


def why(units: Sequence[Unit], place: int, kind: Kind) -> str:
    """Return what weighed most for a kind: phrases, then long words, heaviest first."""
    unit, model, column = units[place], _model(), KINDS.index(kind) + 1
    named = {one for one in phrases_in(unit.text) if one[1][0].isalpha()}
    told = " ".join(phrase for _, phrase in named)
    weighed = [(1, _sum_of(f"P={k} {p}", model)[column] * 1.0, p) for k, p in named]
    for word in {*words_of(unit.text)}:
        if word.isalpha() and word not in told and _TELLING.search(word):
            number, *sums = _sum_of(f"\0{word}", model)
            weighed.append((0, sums[column - 1] / math.sqrt(number), word))
    best = [one for _, weight, one in sorted(weighed, reverse=True) if weight > 0]
    return ", ".join(best[:3])
