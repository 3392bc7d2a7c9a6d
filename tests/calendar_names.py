"""Names of months and weekdays from CLDR, written by ``make calendar``.

Each language has a list for each month, and for each weekday from Monday on: the
whole name in its forms, then short ones.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from babel import Locale

CALENDAR = Path(__file__).parents[1] / "memoryhub/formats/text/calendar.json"
#: CLDR's locales by language; of Polish no short names, which are words elsewhere.
LOCALES = {
    "en": ("en", "en_GB"), "de": ("de", "de_AT"), "fr": ("fr",), "es": ("es",),
    "pt": ("pt",), "it": ("it",), "ru": ("ru",), "pl": ("pl",), "zh": ("zh",),
    "ja": ("ja",), "ko": ("ko",),
}  # fmt: skip
#: What people write and CLDR has not, by a name that it has.
_ALSO = {
    "märz": ["maerz"], "tuesday": ["tues"], "thursday": ["thur", "thurs"],
    "samstag": ["sonnabend"], "星期日": ["星期天"],
}  # fmt: skip


def _forms(locale: Locale, what: str, number: int) -> Iterator[str]:
    names = locale.months if what == "months" else locale.days
    widths = ("wide",) if locale.language == "pl" else ("wide", "abbreviated")
    for width in widths:
        for context in ("format", "stand-alone"):
            name = names[context][width][number].casefold().rstrip(".")
            yield name
            yield from _ALSO.get(name, ())
            if name.endswith("曜日"):
                yield name[:-1]
            if "-" in name:
                yield from name.split("-")


def names(what: str) -> dict[str, list[list[str]]]:
    """Return the names of months or weekdays by language."""
    cjk = ("zh", "ja", "ko") if what == "months" else ()
    numbers = range(1, 13) if what == "months" else range(7)
    return {
        language: [
            list(
                dict.fromkeys(
                    name
                    for locale in map(Locale.parse, locales)
                    for name in _forms(locale, what, number)
                )
            )
            for number in numbers
        ]
        for language, locales in LOCALES.items()
        if language not in cjk
    }


def written() -> str:
    """Return the file's text: a line for each language."""
    parts = []
    for what in ("months", "weekdays"):
        rows = ",\n".join(
            f'"{language}": {json.dumps(found, ensure_ascii=False)}'
            for language, found in names(what).items()
        )
        parts.append(f'"{what}": {{\n{rows}\n}}')
    return "{\n" + ",\n".join(parts) + "\n}\n"


if __name__ == "__main__":
    CALENDAR.write_text(written(), encoding="utf-8")
