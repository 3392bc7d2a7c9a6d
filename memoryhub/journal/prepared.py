"""Queries that are compiled once.

An import asks thirty small questions. Django compiles each anew, which takes three
times as long as SQLite needs for the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any, Generic, TypeVar

from django.db import connection
from django.db.models import Model, QuerySet
from django.db.models.expressions import RawSQL
from django.db.models.query import (
    FlatValuesListIterable,
    ModelIterable,
    ValuesIterable,
    ValuesListIterable,
    get_related_populators,
)

Row = TypeVar("Row")


class Prepared(Generic[Row]):
    """A query of a fixed form, called with its values; returns all its rows.

    `make` returns the query for values of these `kinds`, each `int` or `str`, which it
    may only compare columns with. Rows are as the query gives them: models, dicts or
    tuples.
    """

    def __init__(
        self, make: Callable[..., QuerySet[Any, Row]], *kinds: type[int] | type[str]
    ) -> None:
        self._make = make
        self._kinds = kinds
        self._lock = Lock()
        self._compiled: Compiled | None = None

    def __call__(self, *values: int | str) -> list[Row]:
        query = self._compiled
        if query is None:
            with self._lock:
                marks = [_mark(*each) for each in enumerate(self._kinds)]
                query = self._compiled = compiled(self._make(*marks), marks)
        with connection.cursor() as cursor:
            cursor.execute(query.sql, query.filled(values))
            return query.shaped(cursor.fetchall())


@dataclass(frozen=True, slots=True)
class Compiled:
    """The statement of a query, and how its rows are made of columns."""

    sql: str
    #: A constant each, or the place of a value.
    parameters: Sequence[tuple[Any, int | None]]
    converters: Any
    convert: Callable[..., Any]
    shape: Callable[[Sequence[Any]], Any]

    def filled(self, values: Sequence[int | str]) -> list[Any]:
        return [
            constant if place is None else values[place]
            for constant, place in self.parameters
        ]

    def shaped(self, rows: list[tuple[Any, ...]]) -> list[Any]:
        """Make models, dicts or tuples of rows as SQLite gives them."""
        converted = self.convert(rows, self.converters) if self.converters else rows
        return [self.shape(row) for row in converted]


def compiled(rows: QuerySet[Any, Any], marks: Sequence[int | str] = ()) -> Compiled:
    """Compile a query; a value equal to a mark is filled in at each execution."""
    places = {mark: place for place, mark in enumerate(marks)}
    compiler = rows.query.get_compiler(connection=connection)
    sql, parameters = compiler.as_sql()
    columns = [column for column, _, _ in compiler.select]
    return Compiled(
        sql,
        [(value, places.get(value)) for value in parameters],
        compiler.get_converters(columns),
        compiler.apply_converters,
        _shape(rows, columns, compiler),
    )


def listed(values: str) -> RawSQL:
    """Return the values of a JSON list, for a condition with `__in`.

    A prepared query has one place for all of them.
    """
    return RawSQL("SELECT value FROM json_each(%s)", (values,))


def _mark(place: int, kind: type) -> int | str:
    """Return a value that no query has as a constant."""
    number = 0x5EC2E7_000000 + place
    return number if kind is int else f"value {number}"


def _shape(
    rows: QuerySet[Any, Any], columns: Sequence[Any], compiler: Any
) -> Callable[[Sequence[Any]], Any]:
    """Return the function that makes a row of a query from the columns of one."""
    kind = rows._iterable_class
    if kind is ModelIterable:
        own = compiler.klass_info["select_fields"]
        names = [columns[place].target.attname for place in own]
        model: type[Model] = rows.model
        info = compiler.klass_info
        related = get_related_populators(info, compiler.select, "default")  # type: ignore[call-arg]
        first, last = own[0], own[-1] + 1

        def made(row: Sequence[Any]) -> Model:
            one = model.from_db("default", names, row[first:last])
            for populator in related:
                populator.populate(row, one)
            return one

        return made
    if kind is ValuesIterable:
        named = rows.query.values_select
        return lambda row: dict(zip(named, row, strict=True))
    if kind is FlatValuesListIterable:
        return lambda row: row[0]
    if kind is not ValuesListIterable:
        raise TypeError(f"a query of {kind.__name__} cannot be prepared")
    return tuple
