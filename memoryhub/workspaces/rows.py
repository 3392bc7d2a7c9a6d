"""Rows on their way into tables: collected, then written with `executemany`.

Django's `bulk_create` takes four times as long for the rows of a large import.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from operator import itemgetter
from typing import Any

from django.db import connection, models

#: A row as column name -> value.
Row = dict[str, Any]
ModelType = type[models.Model]


@dataclass(frozen=True, slots=True)
class _Table:
    """How rows of a model are written."""

    insert: str
    upsert: str
    columns: tuple[str, ...]
    defaults: Row
    adapters: tuple[tuple[str, Callable[[Any], Any]], ...]


class Rows:
    """The rows of one batch: inserted, replaced and updated in that order."""

    def __init__(self) -> None:
        self._inserts: dict[tuple[ModelType, bool], list[Row]] = defaultdict(list)
        self._upserts: dict[ModelType, list[Row]] = defaultdict(list)
        self._updates: dict[tuple[ModelType, tuple[str, ...]], list[Row]] = defaultdict(
            list
        )

    def insert(self, model: ModelType, **row: Any) -> None:
        """Add a new row; columns not named get the model's defaults.

        A row without an id gets one from the database, if it gives any.
        """
        self._inserts[model, "id" in row].append(row)

    def upsert(self, model: ModelType, **row: Any) -> None:
        """Add a row, or put it in the place of the one that has its id."""
        self._upserts[model].append(row)

    def update(self, model: ModelType, row_id: int, **values: Any) -> None:
        """Change some columns of one row."""
        self._updates[model, tuple(values)].append({**values, "id": row_id})

    def flush(self) -> None:
        """Write everything collected, inside the caller's transaction."""
        with connection.cursor() as cursor:
            for (model, has_id), rows in self._inserts.items():
                table = _table(model, has_id=has_id)
                cursor.executemany(table.insert, _parameters(table, rows))
            for model, rows in self._upserts.items():
                table = _table(model)
                cursor.executemany(table.upsert, _parameters(table, rows))
            for (model, names), rows in self._updates.items():
                cursor.executemany(
                    _update_statement(model, names), _changes(model, names, rows)
                )
        self._inserts.clear()
        self._upserts.clear()
        self._updates.clear()


def _parameters(table: _Table, rows: Sequence[Row]) -> list[tuple[Any, ...]]:
    complete = [{**table.defaults, **row} for row in rows]
    for column, adapt in table.adapters:
        adapted: dict[Any, Any] = {}
        for row in complete:
            value = row[column]
            if value is None:
                continue
            if value.__hash__ is None:
                row[column] = adapt(value)
            elif value in adapted:
                row[column] = adapted[value]
            else:
                row[column] = adapted[value] = adapt(value)
    pick = itemgetter(*table.columns)
    return [pick(row) for row in complete]


def _changes(
    model: ModelType, names: tuple[str, ...], rows: Sequence[Row]
) -> list[tuple[Any, ...]]:
    adapters = dict(_table(model).adapters)
    for name in names:
        if adapt := adapters.get(name):
            for row in rows:
                if row[name] is not None:
                    row[name] = adapt(row[name])
    pick = itemgetter(*names, "id")
    return [pick(row) for row in rows]


@cache
def _table(model: ModelType, *, has_id: bool = True) -> _Table:
    fields = [f for f in model._meta.concrete_fields if has_id or not f.primary_key]
    columns = tuple(field.attname for field in fields)
    name = connection.ops.quote_name(model._meta.db_table)
    quoted = [connection.ops.quote_name(str(field.column)) for field in fields]
    insert = (
        f"INSERT INTO {name} ({', '.join(quoted)}) "
        f"VALUES ({', '.join(['%s'] * len(quoted))})"
    )
    assignments = ", ".join(f"{c} = excluded.{c}" for c in quoted if c != '"id"')
    return _Table(
        insert=insert,
        upsert=f"{insert} ON CONFLICT (id) DO UPDATE SET {assignments}",
        columns=columns,
        defaults={f.attname: _default(f) for f in fields},
        adapters=tuple((f.attname, a) for f in fields if (a := _adapter(f))),
    )


def _default(field: models.Field[Any, Any]) -> Any:
    if field.has_default() and not callable(field.default):
        return field.default
    return None if field.null else field.get_default()


def _adapter(field: models.Field[Any, Any]) -> Callable[[Any], Any] | None:
    if isinstance(field, models.DateTimeField):
        return connection.ops.adapt_datetimefield_value
    if isinstance(field, models.DateField):
        return connection.ops.adapt_datefield_value
    if isinstance(field, models.JSONField):
        return lambda value: json.dumps(value, ensure_ascii=False)
    return None


def _update_statement(model: ModelType, names: tuple[str, ...]) -> str:
    quote = connection.ops.quote_name
    columns = [str(model._meta.get_field(name).column) for name in names]
    assignments = ", ".join(f"{quote(column)} = %s" for column in columns)
    return f"UPDATE {quote(model._meta.db_table)} SET {assignments} WHERE id = %s"
