"""The kinds of labels: headings above lists, words before a colon, tags and columns.

The words are data, in `labels.toml`; this module normalises and looks up.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from functools import cache, lru_cache
from itertools import chain
from pathlib import Path
from typing import Literal

List = Literal["open", "decision", "directive"]
LabelKind = Literal[List, "", "none", "option", "done", "outcome", "reason", "nothing"]

#: A longer text is a sentence, not a label.
_LONGEST = 60
#: Characters of an unspaced script, or words, that "…" stands for.
_MOST_CHARACTERS, _MOST_WORDS = 8, 4
_MARKS = str.maketrans("", "", '*_`~"“”„«»「」『』')
_WORDS = re.compile("[a-zA-Z ]*")
_UNDERSCORE = re.compile(r"(?<=[^\W_])_(?=[^\W_])")
_ORNAMENT = re.compile(r"[^\w\s&/'+,()\[\].:、?—–-]+")
_ENUMERATOR = re.compile(
    r"[\s\-.]*(?:(?:\d{1,3}|[ivx]{1,4}|[a-h]|[一二三四五六七八九十]{1,3})[.)、](?!\d)"
    r"|\d{1,3}(?:\.\d{1,3})+[.)、]?(?!\d)|\[[ x]?\])?[\s\-.]*"
)
_TAIL = re.compile(r"\s*(?:\([^()]*\)|\[[^\[\]]*\])\s*\Z")
_DASH_TAIL = re.compile(r"\s+[—–-]\s.*\Z")
_WHEN = re.compile(
    r"\A[\[(]?\d{4}-\d\d-\d\d(?:[t ]\d\d:\d\d(?::\d\d)?)?\W*(?=\w)"
    r"|(?<=\w)\s*[\[(–—-]*\s*\d{4}-\d\d-\d\d.*\Z"
)
_JOINT = re.compile(
    r"\s*[/&+,、|・]\s*|\s+(?:and|or|y|e|o|et|ou|und|oder|en|i|и|и|та|ve|và|och|a|と|및)\s+|[与和及]"
)
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_END = " :.-—–?!"


#: Whole labels; phrases with "…" before or behind them, each with the rank of its
#: table; pairs around other words.
_Whole = dict[str, LabelKind]
_Parts = dict[str, list[tuple[LabelKind, bool, bool, int]]]
_Around = list[tuple[str, str, LabelKind]]


@cache
def tables(name: str = "labels.toml") -> dict[str, dict[str, list[str]]]:
    """Return the tables of a file of words, by kind and language."""
    return tomllib.loads((Path(__file__).parent / name).read_text(encoding="utf-8"))


@cache
def _words() -> tuple[_Whole, _Parts, _Around]:
    """Return the words of all labels, normalised."""
    whole: _Whole = {}
    parts: _Parts = {}
    around: _Around = []
    for rank, (kind, languages) in enumerate(tables().items()):
        if kind in ("columns", "states", "shown", "bidding", "replaced"):
            continue
        for word in (word for words in languages.values() for word in words):
            bare = normalise(word.replace("…", " ").strip()) or word.casefold()
            whole.setdefault(bare, kind)  # type: ignore[arg-type]
            if "…" in word.strip("…"):
                left, _, right = word.partition("…")
                around.append((normalise(left), normalise(right), kind))  # type: ignore[arg-type]
            elif "…" in word:
                one = (kind, word[0] == "…", word[-1] == "…", rank)
                parts.setdefault(bare, []).append(one)  # type: ignore[arg-type]
    return whole, parts, around


@lru_cache(maxsize=8192)
def normalise(text: str) -> str:
    """Return a bare label: one case and width, no number, mark or bracketed tail.

    Empty for a text too long for a label.
    """
    if len(text) > 2 * _LONGEST:
        return ""
    if _WORDS.fullmatch(text):
        label = " ".join(text.casefold().split())
        return label if len(label) <= _LONGEST else ""
    label = unicodedata.normalize("NFKC", text).replace("’", "'").replace("‘", "'")
    label = _UNDERSCORE.sub(" ", label).translate(_MARKS)
    label = _ORNAMENT.sub(" ", label).strip().casefold().rstrip(_END)
    label = _WHEN.sub("", label)
    if label.startswith("[") and label.endswith("]"):
        label = label[1:-1]
    label = _TAIL.sub("", label) if label.endswith((")", "]")) else label
    found = _ENUMERATOR.match(label)
    label = label[found.end() if found else 0 :].strip(_END)
    return " ".join(label.split()) if len(label) <= _LONGEST else ""


@lru_cache(maxsize=8192)
def kind_of_label(text: str) -> LabelKind:
    """Return the kind of statement that a label heads; empty for most labels."""
    label = normalise(text)
    if not label:
        return ""
    whole, _, _ = _words()
    if kind := whole.get(label):
        return kind
    short = _TAIL.sub("", _DASH_TAIL.sub("", label))
    if short != label and (kind := whole.get(short) or _kind_of_part(short)):
        return kind
    parts = [part for part in _JOINT.split(label) if part]
    if len(parts) > 1:
        kinds = [whole.get(part, "") or _kind_of_part(part) for part in parts]
        told = {kind for kind in kinds if kind} - {"reason", "outcome"}
        if len(told) == 1 and kinds[0] in told:
            # A list of decisions and other things says of none that it is one.
            is_mixed = "" in kinds and not told.isdisjoint(("decision", "directive"))
            return "" if is_mixed else told.pop()
        if len(told) > 1:
            return "none"
    return _kind_of_part(label)


def _kind_of_part(label: str) -> LabelKind:
    """Return the kind of a phrase of a label: of the first table, the longest."""
    _, parts, around = _words()
    best: tuple[int, int] | None = None
    kind: LabelKind = ""
    for phrase, before, behind in _spans(label):
        for named, may_follow, may_lead, rank in parts.get(phrase, ()):
            if (before and not may_follow) or (behind and not may_lead):
                continue
            if best is None or (rank, -len(phrase)) < best:
                best, kind = (rank, -len(phrase)), named
    begun = (one for one in around if label.startswith(one[0] + " "))
    return kind or next((k for _, end, k in begun if label.endswith(" " + end)), "")


def _spans(label: str) -> list[tuple[str, int, int]]:
    """Return the phrases of a label, with how much stands before and behind each."""
    if _UNSPACED.search(label) and len(label) <= 24:
        spans: list[tuple[str, int, int]] = []
        most = _MOST_CHARACTERS
        for start in range(min(len(label), most + 1)):
            spans += (
                (label[start:end].strip(), start, len(label) - end)
                for end in range(max(start + 1, len(label) - most), len(label) + 1)
            )
        return spans
    words = label.split()
    return [
        (" ".join(words[start:end]).strip(",.:"), start, len(words) - end)
        for start in range(min(len(words), _MOST_WORDS + 1))
        for end in range(max(start + 1, len(words) - _MOST_WORDS), len(words) + 1)
    ]


@cache
def _column(name: str) -> frozenset[str]:
    group = "columns" if name in tables()["columns"] else "states"
    return frozenset(word.casefold() for word in tables()[group][name])


def is_column(head: str, name: str) -> bool:
    """Return whether a label of a column, or a state in it, is of a kind."""
    return normalise(head) in _column(name)


@lru_cache(maxsize=8192)
def state_of(text: str) -> Literal["", "open", "done"]:
    """Return the state that a short text names; empty if it names none."""
    if len(text) > _LONGEST:
        return ""
    bare = normalise(text).strip(" ,;。")
    if not bare:
        return ""
    for name in ("open", "done"):
        if bare in _column(name):
            return name
    first = bare.split(" ")[0]
    for begun, end in _open_states():
        is_begun = first == begun or (_CJK.search(begun) and bare.startswith(begun))
        if (begun and is_begun) or (end and bare.endswith(end)):
            return "open"
    return ""


@cache
def _open_states() -> list[tuple[str, str]]:
    """Return the fixed beginning and end of each state that contains other words."""
    return [
        (name[:-1] if name[-1] == "…" else "", name[1:] if name[0] == "…" else "")
        for name in _column("open")
        if "…" in name
    ]


def is_shown(label: str) -> bool:
    """Return whether a label heads examples or attacks, which nobody is to follow."""
    return _any_of("shown", "", "").search(label.casefold()) is not None


def is_bidding(label: str) -> bool:
    """Return whether a label is a part of the rule that it heads: never, always."""
    return _any_of("bidding", "", r"(?: |\Z)").match(normalise(label)) is not None


@lru_cache(maxsize=4096)
def left_by(text: str) -> str:
    """Return the first word of an abandoned thing ("moved away from X"), or ""."""
    found = _any_of("replaced", r"(?<!\w)", r"[\W_]*(\w{3,})").search(text.casefold())
    return found[1] if found else ""


@cache
def _any_of(name: str, before: str, behind: str) -> re.Pattern[str]:
    """Return an expression for any word of a table between two other expressions."""
    words = "|".join(map(re.escape, chain.from_iterable(tables()[name].values())))
    return re.compile(f"{before}(?:{words}){behind}")


def says_nothing(text: str) -> bool:
    """Return whether an item is empty, a rule, or a word for "none"."""
    bare = text.strip(" \t\r\n*_`()（）[].。…!！-–—·•:：\"'~").casefold()
    words = _any_of("nothing", r"(?<![^\W_])", r"(?![^\W_])")
    is_none = not bare.isascii() or words.search(bare)
    is_told = not bare or (is_none and kind_of_label(bare) == "nothing")
    return bool(is_told) and len(text) <= _LONGEST
