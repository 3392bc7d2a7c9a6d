"""Texts of pages and their translations: ``make messages`` brings the files in step.

Templates are read by Django's own reader and everything else by Babel, so that no
program outside Python is needed.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from django.utils.translation.template import templatize

ROOT = Path(__file__).parents[1]
LOCALES = ROOT / "memoryhub/locale"
CODES = ("memoryhub", "topics", "snapshots")
LANGUAGES = ("zh_Hans",)

_KEYWORDS: dict[str, tuple[object, ...] | None] = {
    "_": None,
    "gettext": None,
    "gettext_lazy": None,
    "gettext_noop": None,
    "ngettext": (1, 2),
    "ngettext_lazy": (1, 2),
    "pgettext": ((1, "c"), 2),
    "pgettext_lazy": ((1, "c"), 2),
    "npgettext": ((1, "c"), 2, 3),
}
#: Lines of a header that change though no text does.
_RESTLESS = (
    '"POT-Creation-Date', '"PO-Revision-Date', '"Generated-By', '"Last-Translator',
    '"Language-Team', '"Project-Id-Version', '"Report-Msgid-Bugs-To',
)  # fmt: skip


def paths(language: str) -> tuple[Path, Path]:
    """Return a language's file to edit and the one that is read at run time."""
    folder = LOCALES / language / "LC_MESSAGES"
    return folder / "django.po", folder / "django.mo"


def wanted() -> Catalog:
    """Return every text of pages that can be translated."""
    catalog = Catalog()
    for source in _sources():
        for _, text, _, context in extract(
            "python",
            io.BytesIO(source.encode()),
            keywords=_KEYWORDS,  # type: ignore[arg-type]
        ):
            if text and text != ("", ""):
                catalog.add(text, context=context)
    return catalog


def _sources() -> Iterator[str]:
    for folder in CODES:
        for path in sorted((ROOT / folder).rglob("*.py")):
            yield path.read_text(encoding="utf-8")
    for path in sorted((ROOT / "templates").rglob("*.[ht][tx][mt]*")):
        read = templatize(path.read_text(encoding="utf-8"), origin=str(path))
        yield "\n".join(line.strip() for line in read.splitlines())


def translated(language: str) -> Catalog:
    """Return a language's translations."""
    with paths(language)[0].open("rb") as file:
        return read_po(file, locale=language)


def update(language: str) -> None:
    """Bring a language's files in step with the texts; new ones are empty."""
    edited, compiled = paths(language)
    edited.parent.mkdir(parents=True, exist_ok=True)
    catalog = translated(language) if edited.exists() else Catalog(locale=language)
    catalog.fuzzy = False
    catalog.header_comment = f"# Texts of MemoryHub's pages: {language}"
    catalog.update(wanted(), no_fuzzy_matching=True, update_header_comment=False)
    catalog.obsolete.clear()
    written = io.BytesIO()
    write_po(written, catalog, width=88, sort_output=True, ignore_obsolete=True)
    lines = written.getvalue().decode().splitlines(keepends=True)
    kept = (line for line in lines if not line.startswith(_RESTLESS))
    edited.write_text("".join(kept), encoding="utf-8")
    with compiled.open("wb") as file:
        write_mo(file, catalog)


if __name__ == "__main__":
    for each in LANGUAGES:
        update(each)
