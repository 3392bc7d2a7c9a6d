"""Seeded strange queries: very long, very common, unknown, quoted, in all scripts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from string import ascii_lowercase
from typing import NamedTuple

_COMMON = (
    "the", "of", "to", "and", "a", "is", "in", "it", "for", "that", "on", "with", "as",
    "was", "be", "are", "this", "or", "by", "not",
)  # fmt: skip
_DAYS = (
    "yesterday", "last Tuesday", "in May", "in 2024", "8 May 2023", "three weeks ago",
    "2025-03", "上周二", "vor zwei Wochen", "hace dos semanas", "between March and May",
)  # fmt: skip
_FILTERS = (
    "kind:decision", "kind:file", "-kind:note", "after:2025-01-01", "before:2026",
    "path:memory", "path:*", "topic:none", "agent:nobody", "is:blocked", "kind:",
)  # fmt: skip
_NAMES = ("OPS", "1.0", "e.g", "file-like", "RFC")
_EMOJI = "😀🎉👩‍💻🏳️‍🌈🇯🇵❤️🫠"
_ODD = "\u200b\u202e\u0301\ufeff\x00\x1f\"'()*^:-+~{}[]|&!\\/%_"
_HAN = "的一是在不了有和人这中大为上个国我以要他数据库迁移失败了吗"


class Strange(NamedTuple):
    """A query with the name of its kind."""

    kind: str
    text: str


def strange_queries(
    seed: int, words: Sequence[str], number: int = 200
) -> Iterator[Strange]:
    """Yield queries of every kind in turn; `words` are those of the text searched."""
    rng = Random(seed)
    parts = _Parts(rng, words)
    kinds = _of_words(parts) | _of_letters(parts)
    names = list(kinds)
    for at in range(number):
        name = names[at % len(names)]
        yield Strange(name, kinds[name]())


@dataclass(frozen=True, slots=True)
class _Parts:
    """Random pieces of queries; `least` and `most` are numbers of words or letters."""

    rng: Random
    words: Sequence[str]

    def some(self, least: int, most: int) -> list[str]:
        return self.rng.choices(self.words, k=self.rng.randint(least, most))

    def text(self, least: int, most: int) -> str:
        return " ".join(self.some(least, most))

    def pairs(self, form: str, number: int) -> list[str]:
        return [form.format(*self.some(2, 2)) for _ in range(number)]

    def run(self, letters: str, least: int, most: int) -> str:
        return "".join(self.rng.choices(letters, k=self.rng.randint(least, most)))

    def common(self, least: int, most: int) -> str:
        return " ".join(self.rng.choices(_COMMON, k=self.rng.randint(least, most)))

    def each(self, made: Callable[[], str], number: int) -> str:
        return " ".join(made() for _ in range(number))

    def ticket(self) -> str:
        return f"OPS-{self.rng.randrange(100_000)}"


def _of_words(a: _Parts) -> dict[str, Callable[[], str]]:
    """Return the kinds of queries that are made of whole words of the text."""
    return {
        "500 words": lambda: a.text(500, 500),
        "stop words": lambda: a.common(1, 40),
        "phrase": lambda: f'"{a.text(2, 4)}"',
        "phrase of stop words": lambda: f'"{a.common(2, 3)}"',
        "phrases": lambda: a.each(lambda: f'"{a.text(1, 3)}"', 20),
        "long phrase": lambda: f'"{a.text(100, 200)}"',
        "open quotation": lambda: f'"{a.text(3, 9)}',
        "excluded": lambda: " ".join([a.text(1, 2), *(f"-{w}" for w in a.some(1, 60))]),
        "excluded alone": lambda: " ".join(f"-{word}" for word in a.some(1, 9)),
        "or": lambda: " OR ".join(a.some(2, 200)),
        "or of phrases": lambda: " OR ".join(a.pairs('"{} {}"', 9)),
        "not": lambda: a.pairs("{} NOT {} AND NEAR(x)", 1)[0],
        "prefix": lambda: f"{a.rng.choice(a.words)[: a.rng.randint(1, 3)]}*",
        "prefixes": lambda: " ".join(f"{word[:2]}*" for word in a.some(2, 60)),
        "days": lambda: " ".join(
            [*a.rng.choices(_DAYS, k=a.rng.randint(1, 9)), a.text(0, 3)]
        ),
        "filters": lambda: " ".join(
            [*a.rng.choices(_FILTERS, k=a.rng.randint(1, 6)), a.text(0, 4)]
        ),
        "one word often": lambda: " ".join(a.some(1, 1) * 500),
        "common words": lambda: f"{a.common(1, 2)} {a.text(1, 2)}",
        "question": lambda: f"what did {a.text(2, 6)} when {a.text(1, 3)}?",
    }


def _of_letters(a: _Parts) -> dict[str, Callable[[], str]]:
    """Return the kinds of queries in other scripts, of signs and of made-up words."""
    return {
        "Chinese": lambda: a.run(_HAN, 1, 3),
        "much Chinese": lambda: a.run(_HAN, 30, 400),
        "Chinese and others": lambda: f"{a.run(_HAN, 2, 6)} {a.text(1, 9)}",
        "kana": lambda: a.run("データベースの移行にしっぱいした", 1, 60),
        "Arabic": lambda: a.run("ابتثجحخدذرزسشصضطظعغ ", 5, 200),
        "emoji": lambda: a.run(_EMOJI, 1, 200),
        "odd signs": lambda: a.run(_ODD, 1, 300),
        "odd signs in words": lambda: a.run(_ODD, 1, 3).join(a.some(2, 40)),
        "letters": lambda: a.each(lambda: a.rng.choice(ascii_lowercase), 80),
        "one letter": lambda: a.rng.choice(f"{ascii_lowercase}éß0123456789"),
        "numbers": lambda: a.each(lambda: str(a.rng.randrange(10_000)), 60),
        "unknown": lambda: a.each(lambda: a.run("bcdfghklmnpqrst", 3, 30), 140),
        "misspelt": lambda: " ".join(f"{w[:3]}q{w[3:]}" for w in a.some(1, 40)),
        "names": lambda: " ".join(a.pairs("{}_{}", 40)),
        "tickets": lambda: a.each(a.ticket, 200),
        "capitals": lambda: a.text(1, 60).upper(),
        "a name in many": lambda: a.rng.choice(
            ["OPS", "1.0", "e.g", "file-like", "RFC"]
        ),
        "path": lambda: "/".join(a.some(2, 60)),
        "one long word": lambda: a.run("abcdefgh", 5_000, 20_000),
    }
