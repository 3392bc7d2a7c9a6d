"""Daily logs of any size, written from the words of real documentation.

The running text is that of the docstrings of Python's standard library, or of the text
files of a folder: its words keep their frequencies and their order. Names, tickets,
hashes and words of one log only are added, so that the vocabulary grows with the logs.
"""

from __future__ import annotations

import re
import sysconfig
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from random import Random

_DOCSTRING = re.compile(r'"""(.*?)"""', re.DOTALL)
_LEFT_OUT = frozenset({"site-packages", "dist-packages", "test", "tests", "idlelib"})
_LAST_DAY = date(2026, 11, 20)
#: Lines of an entry, words of a line.
_LINES, _WORDS = (2, 6), (8, 24)
_LETTERS = "bcdfghklmnprstvwz", "aeiou"


def words_of_documentation(folder: Path | None = None) -> list[str]:
    """Return the words of text files, or of the standard library, in their order."""
    if folder is not None:
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        texts = [path.read_text(errors="replace") for path in files]
    else:
        library = Path(sysconfig.get_path("stdlib"))
        files = sorted(
            path
            for path in library.rglob("*.py")
            if _LEFT_OUT.isdisjoint(path.relative_to(library).parts)
        )
        sources = (path.read_text(errors="replace") for path in files)
        texts = [text for source in sources for text in _DOCSTRING.findall(source)]
    return [word for text in texts for word in text.split()]


class Logs:
    """Logs of one seed; `people` are the names in them, the commonest first."""

    def __init__(self, seed: int, words: list[str]) -> None:
        self.rng = Random(seed)
        self.words = words
        self.people = [self._coined().capitalize() for _ in range(400)]

    def write(self, target: Path, *, files: int, entries: int) -> int:
        """Write so many logs of so many entries; return their number of characters."""
        size = 0
        for number in range(files):
            day = _LAST_DAY - timedelta(days=number % 3_000)
            folder = target / "memory" / f"agent-{number // 3_000}"
            folder.mkdir(parents=True, exist_ok=True)
            text = "\n".join(self._log(day, entries))
            (folder / f"{day}.md").write_text(text)
            size += len(text.encode())
        return size

    def phrase(self, least: int, most: int) -> list[str]:
        """Return some words of the documentation in their order."""
        start = int(self.rng.random() * (len(self.words) - most))
        return self.words[start : start + self.rng.randint(least, most)]

    def person(self) -> str:
        """Return a name: a few are in most logs, many in few."""
        return self.people[int(len(self.people) * self.rng.random() ** 3)]

    def _log(self, day: date, entries: int) -> Iterator[str]:
        own = [self._coined() for _ in range(4)]
        yield f"# {day}"
        for at in range(entries):
            title = " ".join(self.phrase(2, 5)).strip("#`*")
            hour, minute = 8 + at * 14 // entries, self.rng.randrange(60)
            yield f"\n## {hour:02}:{minute:02} {title}\n"
            for _ in range(self.rng.randint(*_LINES)):
                yield self._line(own)

    def _line(self, own: list[str]) -> str:
        words, chance = self.phrase(*_WORDS), self.rng.random()
        at = self.rng.randrange(len(words))
        if chance < 0.3:
            words[at] = self.rng.choice(own)
        elif chance < 0.4:
            words[at] = f"OPS-{self.rng.randrange(100_000)}"
        elif chance < 0.45:
            words[at] = f"`{self.rng.getrandbits(28):07x}`"
        text = " ".join(words)
        return f"- **{self.person()}**: {text}" if chance > 0.6 else f"- {text}"

    def _coined(self) -> str:
        """Return a word that is hardly anywhere else."""
        choice, (hard, soft) = self.rng.choice, _LETTERS
        return "".join(choice(hard) + choice(soft) for _ in range(4))
