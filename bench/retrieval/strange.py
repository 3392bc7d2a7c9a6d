"""Seeded strange queries: very long, very common, unknown, quoted, in all scripts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
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
    kinds = _kinds(rng, words)
    names = list(kinds)
    for at in range(number):
        name = names[at % len(names)]
        yield Strange(name, kinds[name]())


def _kinds(rng: Random, words: Sequence[str]) -> dict[str, Callable[[], str]]:
    def some(least: int, most: int) -> list[str]:
        return rng.choices(words, k=rng.randint(least, most))

    def text(least: int, most: int) -> str:
        return " ".join(some(least, most))

    def pairs(form: str, number: int) -> list[str]:
        return [form.format(*some(2, 2)) for _ in range(number)]

    def run(letters: str, least: int, most: int) -> str:
        return "".join(rng.choices(letters, k=rng.randint(least, most)))

    def common(least: int, most: int) -> str:
        return " ".join(rng.choices(_COMMON, k=rng.randint(least, most)))

    def each(made: Callable[[], str], number: int) -> str:
        return " ".join(made() for _ in range(number))

    def ticket() -> str:
        return f"OPS-{rng.randrange(100_000)}"

    return {
        "500 words": lambda: text(500, 500),
        "stop words": lambda: common(1, 40),
        "phrase": lambda: f'"{text(2, 4)}"',
        "phrase of stop words": lambda: f'"{common(2, 3)}"',
        "phrases": lambda: each(lambda: f'"{text(1, 3)}"', 20),
        "long phrase": lambda: f'"{text(100, 200)}"',
        "open quotation": lambda: f'"{text(3, 9)}',
        "excluded": lambda: " ".join([text(1, 2), *(f"-{w}" for w in some(1, 60))]),
        "excluded alone": lambda: " ".join(f"-{word}" for word in some(1, 9)),
        "or": lambda: " OR ".join(some(2, 200)),
        "or of phrases": lambda: " OR ".join(pairs('"{} {}"', 9)),
        "not": lambda: pairs("{} NOT {} AND NEAR(x)", 1)[0],
        "Chinese": lambda: run(_HAN, 1, 3),
        "much Chinese": lambda: run(_HAN, 30, 400),
        "Chinese and others": lambda: f"{run(_HAN, 2, 6)} {text(1, 9)}",
        "kana": lambda: run("データベースの移行にしっぱいした", 1, 60),
        "Arabic": lambda: run("ابتثجحخدذرزسشصضطظعغ ", 5, 200),
        "emoji": lambda: run(_EMOJI, 1, 200),
        "odd signs": lambda: run(_ODD, 1, 300),
        "odd signs in words": lambda: run(_ODD, 1, 3).join(some(2, 40)),
        "prefix": lambda: f"{rng.choice(words)[: rng.randint(1, 3)]}*",
        "prefixes": lambda: " ".join(f"{word[:2]}*" for word in some(2, 60)),
        "letters": lambda: each(lambda: rng.choice(ascii_lowercase), 80),
        "one letter": lambda: rng.choice(f"{ascii_lowercase}éß0123456789"),
        "numbers": lambda: each(lambda: str(rng.randrange(10_000)), 60),
        "days": lambda: " ".join(
            [*rng.choices(_DAYS, k=rng.randint(1, 9)), text(0, 3)]
        ),
        "unknown": lambda: each(lambda: run("bcdfghklmnpqrst", 3, 30), 140),
        "misspelt": lambda: " ".join(f"{w[:3]}q{w[3:]}" for w in some(1, 40)),
        "names": lambda: " ".join(pairs("{}_{}", 40)),
        "tickets": lambda: each(ticket, 200),
        "capitals": lambda: text(1, 60).upper(),
        "a name in many": lambda: rng.choice(["OPS", "1.0", "e.g", "file-like", "RFC"]),
        "path": lambda: "/".join(some(2, 60)),
        "filters": lambda: " ".join(
            [*rng.choices(_FILTERS, k=rng.randint(1, 6)), text(0, 4)]
        ),
        "one word often": lambda: " ".join(some(1, 1) * 500),
        "one long word": lambda: run("abcdefgh", 5_000, 20_000),
        "common words": lambda: f"{common(1, 2)} {text(1, 2)}",
        "question": lambda: f"what did {text(2, 6)} when {text(1, 3)}?",
    }
