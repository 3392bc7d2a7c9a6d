"""Seeded text that reads and compresses like agents' notes.

Words follow Zipf's law over a vocabulary of a few thousand, so that compression,
index size and query cost behave as with real logs. Nothing is copied from anyone.
"""

from __future__ import annotations

from functools import cache
from itertools import accumulate
from random import Random

#: The most frequent words of a log, in order; the rest is made of syllables.
_COMMON = (
    "the to and a of in is for on with that it was be as not this from by we are "
    "at now file run test all when but only still will after one has no build "
    "error then fix user call session api config time list set page data key "
    "request response update status branch check deploy review change release "
    "merge server client cache token queue worker event retry timeout schema "
    "table column index query migration handler route module import export "
    "field value default setting path folder memory context agent task note "
    "decision next step blocked waiting done open reason because instead works "
    "failed passed added removed moved renamed kept wrote read found missing "
    "slow fast old new first last before between again also should must could"
)
_STARTS = "re con de in pro com ex un dis per sub ad ob tra sta mi lo ca se vi"
_MIDDLES = "ta ri no le ma ter ven lu si po gra cu de mi ro ne fi la do vo"
_ENDS = "tion er ed ing ment ly al s t ness able ic or ure ive ance ent y le"
#: Frequent characters, used in runs of two to four as words are.
_HAN = (
    "的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动同工也能"
    "下过子说产种面而方后多定行学法所民得经十三之进着等部度家电力里如水化高自二理起小物现实加量"
    "都两体制机当使点从业本去把性好应开它合还因由其些然前外天政四日那社义事平形相全表间样与关各"
    "重新线内数正心反你明看原又么利比或但质气第向道命此变条只没结解问意建月公无系军很情者最立代"
)
_VOCABULARY_SIZE = 4_000
_STREAM_SIZE = 1 << 17
#: Words of the stream that one file is cut from: a log repeats its own phrases.
_FOCUS_SIZE = 2_000
_EXTENSIONS = ("py", "ts", "md", "json", "sql", "html", "yaml")
_FOLDERS = ("src", "tests", "docs", "app/api", "app/models", "scripts", "web/pages")


@cache
def vocabulary() -> tuple[str, ...]:
    """Return the words, the most frequent first; the same in every run."""
    rng = Random(0)
    words = dict.fromkeys(_COMMON.split())
    starts, middles, ends = _STARTS.split(), _MIDDLES.split(), _ENDS.split()
    while len(words) < _VOCABULARY_SIZE:
        inner = "".join(rng.choices(middles, k=rng.randrange(3)))
        words[rng.choice(starts) + inner + rng.choice(ends)] = None
    return tuple(words)


def _zipf_stream(rng: Random, words: tuple[str, ...]) -> list[str]:
    weights = list(accumulate(1 / (rank + 2.7) for rank in range(len(words))))
    return rng.choices(words, cum_weights=weights, k=_STREAM_SIZE)


class Prose:
    """An endless text of one seed, handed out in words, sentences and names."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self._words = _zipf_stream(rng, vocabulary())
        self._han = _zipf_stream(rng, tuple(_HAN))
        self._focus = 0

    def turn_page(self) -> None:
        """Move to another part of the stream, as each new file does."""
        self._focus = int(self.rng.random() * (_STREAM_SIZE - _FOCUS_SIZE))

    def chance(self, share: float) -> bool:
        """Tell whether something that happens in this share of cases happens now."""
        return self.rng.random() < share

    def number(self, low: int, high: int) -> int:
        """Return a whole number from `low` to `high`, both included."""
        return low + int(self.rng.random() * (high - low + 1))

    def words(self, count: int) -> str:
        """Return so many words of running text."""
        start = self._focus + int(self.rng.random() * (_FOCUS_SIZE - count))
        return " ".join(self._words[start : start + count])

    def name(self, count: int = 2) -> str:
        """Return rare words joined as in a slug."""
        return "-".join(self.rng.choices(vocabulary()[200:], k=count))

    def title(self) -> str:
        """Return a heading's text."""
        return self.words(self.number(2, 5)).capitalize()

    def sentence(self) -> str:
        """Return one sentence, which may name a file, a number or a commit."""
        text = self.words(self.number(7, 20)).capitalize()
        kind = self.rng.random()
        if kind < 0.10:
            return f"{text} in `{self.path()}`."
        if kind < 0.18:
            return f"{text}: {self.number(2, 4000)} of {self.number(2, 9000)}."
        if kind < 0.20:
            return f"{text} (commit `{self.sha()}`)."
        return f"{text}."

    def paragraph(self, sentences: int) -> str:
        """Return so many sentences on one line."""
        return " ".join(self.sentence() for _ in range(sentences))

    def han_sentence(self) -> str:
        """Return one sentence in Chinese characters."""
        start = self.number(0, _STREAM_SIZE - 40)
        middle = start + self.number(5, 14)
        first = "".join(self._han[start:middle])
        return f"{first},{''.join(self._han[middle : middle + self.number(4, 14)])}。"

    def path(self) -> str:
        """Return the path of a source file, as logs mention them."""
        folder, ending = self.rng.choice(_FOLDERS), self.rng.choice(_EXTENSIONS)
        return f"{folder}/{self.name().replace('-', '_')}.{ending}"

    def sha(self) -> str:
        """Return an abbreviated commit."""
        return f"{self.rng.getrandbits(28):07x}"
