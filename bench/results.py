"""Measured figures, their limits, and the table of both."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

_HEADER = ("what", "measured", "floor", "ratio", "limit", "ok")


@dataclass(frozen=True, slots=True)
class Limit:
    """The most a figure may be: a multiple of its floor, or a number of a unit."""

    unit: str
    most: float | None
    of_floor: bool = False


#: Queries of every page besides its own: who is signed in.
_WHO_ASKS = 1


def _page(name: str, queries: int, milliseconds: float) -> dict[str, Limit]:
    """Return the limits of a warm page."""
    return {
        f"{name}: queries": Limit("", queries + _WHO_ASKS),
        f"{name}: CPU": Limit("ms", milliseconds),
    }


def _page_and_after_news(
    name: str, queries: int, milliseconds: float
) -> dict[str, Limit]:
    """Return the limits of a page that is as quick at its first look after news."""
    return {
        **_page(name, queries, milliseconds),
        f"{name}, after news: queries": Limit("", None),
        f"{name}, after news: CPU": Limit("ms", milliseconds),
    }


def _write(name: str, floors: float, statements: int) -> dict[str, Limit]:
    """Return the limits of a write."""
    return {
        f"write, {name}": Limit("ms", floors, of_floor=True),
        f"write, {name}: statements": Limit("", statements),
    }


#: What the rows of all pages start with, each a share of what that page may take.
_ANY_PAGE = "page, "


def _command(name: str) -> dict[str, Limit]:
    """Return the limits of a command: its CPU, with that of the server."""
    return {
        f"command, {name}": Limit("s", 3.0, of_floor=True),
        f"command, {name} without a server": Limit("s", 10.0, of_floor=True),
    }


#: Every other figure of the table. Those without a `most` are told, not judged.
LIMITS = {
    "first import": Limit("s", 3.0, of_floor=True),
    "record of a first import": Limit("s", 1.5, of_floor=True),
    "peak memory": Limit("MB", 250.0),
    "peak memory, a file of 30 MB": Limit("MB", 250.0),
    "database": Limit("MB", 2.5, of_floor=True),
    "no-change sync": Limit("s", 3.0, of_floor=True),
    "no-change command": Limit("s", 0.5),
    "list of 100 workspaces, first look": Limit("ms", 300.0),
    "one changed file, more": Limit("s", 0.15),
    "rebuild": Limit("s", 3.0, of_floor=True),
    "export": Limit("s", None, of_floor=True),
    "search index": Limit("MB", 0.7, of_floor=True),
    "search index, made": Limit("s", None, of_floor=True),
    "search, fifty queries: median": Limit("ms", 15.0),
    "search, fifty queries: p95": Limit("ms", 60.0),
    "search, rare word": Limit("ms", 100.0),
    "search, common word": Limit("ms", 100.0),
    "search, two words": Limit("ms", 100.0),
    "search, phrase": Limit("ms", 100.0),
    "search, kind": Limit("ms", 100.0),
    "search, CJK": Limit("ms", 100.0),
    "cost of a file": Limit("ms", 1.5, of_floor=True),
    "hook, told": Limit("s", 2.5, of_floor=True),
    "hook, asked": Limit("s", 2.5, of_floor=True),
    "hook, told without a server": Limit("s", 1.0),
    "hook, asked without a server": Limit("s", 1.0),
    **_command("status"),
    **_command("search"),
    **_command("recall"),
    **_command("open-items"),
    **_command("tool"),
    "appended line, a log of 135 kB": Limit("ms", 8.0),
    "appended line, a log of 5 MB": Limit("ms", 60.0),
    "appended line, a dense log of 2 MB": Limit("ms", 100.0),
    "ten agents, from write to write": Limit("ms", 10.0),
    "ten agents, CPU of a write": Limit("ms", 8.0),
    **_write("take", 200, 85),
    **_write("report", 200, 85),
    **_write("note in a log of 3 KB", 90, 50),
    **_write("note in a log of 300 KB", 150, 55),
    **_write("note in a log of 3 MB", 300, 55),
    **_write("line in an error log of 3 MB", 100, 50),
    **_write("status of a topic", 80, 50),
    **_page("timeline, newest page", 8, 6.0),
    **_page("timeline, deep page", 8, 6.0),
    **_page("timeline, by kind", 14, 10.0),
    **_page("timeline, by topic", 14, 10.0),
    **_page("timeline, by agent", 14, 10.0),
    **_page("timeline, by topic and kind", 14, 10.0),
    **_page("timeline, by topic and agent", 14, 10.0),
    **_page("timeline, by text", 14, 40.0),
    **_page("timeline, since the last visit", 14, 10.0),
    **_page("timeline, by session", 14, 10.0),
    **_page("topic page", 30, 40.0),
    **_page_and_after_news("board of handoffs", 12, 60.0),
    **_page_and_after_news("list of handoffs", 12, 60.0),
    **_page_and_after_news("figures of handoffs", 6, 40.0),
    **_page_and_after_news("one handoff", 20, 60.0),
    **_page_and_after_news("handoffs of all workspaces", 28, 60.0),
}


@dataclass(frozen=True, slots=True)
class Result:
    """One figure, and its floor where the limit is a multiple of it.

    `name` is a key of `LIMITS`; `files` tells sizes of corpus apart, of which only
    one is judged.
    """

    name: str
    measured: float
    floor: float | None = None
    files: int = 0
    judged: bool = True

    @property
    def limit(self) -> Limit:
        if self.name.startswith(_ANY_PAGE):
            return Limit("of its limit", 1.0)
        return LIMITS[self.name]

    @property
    def ratio(self) -> float | None:
        """The multiple of the floor, if there is one."""
        return self.measured / self.floor if self.floor else None

    @property
    def ok(self) -> bool | None:
        """Whether the figure is within its limit; None without a limit."""
        if self.limit.most is None or not self.judged:
            return None
        value = self.ratio if self.limit.of_floor else self.measured
        return value is not None and value <= self.limit.most

    def as_json(self) -> dict[str, object]:
        """Return the row as plain values."""
        return {
            "name": self.name,
            "files": self.files,
            "unit": self.limit.unit,
            "measured": self.measured,
            "floor": self.floor,
            "ratio": self.ratio,
            "limit": self.limit.most,
            "ok": self.ok,
        }


def over_limit(results: Iterable[Result]) -> list[Result]:
    """Return the results that break their limit."""
    return [result for result in results if result.ok is False]


def table(results: Iterable[Result]) -> str:
    """Return the results as aligned lines with a header."""
    rows = [_HEADER, *map(_cells, results)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEADER))]
    return "\n".join(_line(row, widths) for row in rows)


def _cells(result: Result) -> tuple[str, ...]:
    name = f"{result.name} ({result.files:,} files)" if result.files else result.name
    limit, unit = result.limit, result.limit.unit
    most = _number(limit.most, "x floor" if limit.of_floor else unit)
    verdict = {True: "ok", False: "OVER", None: ""}[result.ok]
    floor, ratio = _number(result.floor, unit), _number(result.ratio, "x")
    return name, _number(result.measured, unit), floor, ratio, most, verdict


def _number(value: float | None, unit: str) -> str:
    if value is None:
        return "-"
    digits = 0 if value == int(value) or value >= 100 else 3 if value < 1 else 2
    return f"{value:.{digits}f} {unit}".strip()


def _line(row: tuple[str, ...], widths: list[int]) -> str:
    first, *rest = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
    return "  ".join([first, *(cell.strip().rjust(len(cell)) for cell in rest)])
