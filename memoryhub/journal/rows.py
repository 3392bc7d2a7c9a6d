"""Buffer of rows, written to tables with `executemany`.

Django's `bulk_create` takes four times as long for the rows of a large import.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable
from datetime import UTC
from functools import cache
from typing import Any

from django.db import connection, models
from django.db.models import Model, QuerySet

from memoryhub.journal.models import DerivedModel
from memoryhub.journal.moments import MomentField, as_stored
from memoryhub.journal.prepared import Prepared, listed


def table_of(model: type[Model]) -> str:
    """Return a model's table name, quoted."""
    return quoted(model._meta.db_table)


def quoted(name: str) -> str:
    """Quote the name of a table or column."""
    return connection.ops.quote_name(name)


#: A row as column name -> value.
Row = dict[str, Any]
ModelType = type[models.Model]
#: A model and its given columns; one statement serves all such rows.
_Shape = tuple[ModelType, tuple[str, ...]]
#: Converts a value to the database's form.
_Adapter = Callable[[Any], Any]
#: SQL, and default values that follow each row's own.
_Statement = tuple[str, tuple[Any, ...]]


class Rows:
    """The rows of one batch: inserted, replaced and updated in that order."""

    def __init__(self) -> None:
        self._inserts: dict[_Shape, list[list[Any]]] = defaultdict(list)
        self._upserts: dict[_Shape, list[list[Any]]] = defaultdict(list)
        self._updates: dict[_Shape, list[list[Any]]] = defaultdict(list)

    def insert(self, model: ModelType, **row: Any) -> None:
        """Add a new row; omitted columns get the model's defaults.

        Without an id the database assigns one, if the table does so.
        """
        self.add(model, row)

    def add(self, model: ModelType, row: Row) -> None:
        """Add a new row like `insert`, in half of its time."""
        self._inserts[model, tuple(row)].append(list(row.values()))

    def upsert(self, model: ModelType, **row: Any) -> None:
        """Add a row, or replace the columns of the row with its id."""
        self._upserts[model, tuple(row)].append(list(row.values()))

    def update(self, model: ModelType, row_id: int, **values: Any) -> None:
        """Change some columns of one row."""
        self._updates[model, tuple(values)].append([*values.values(), row_id])

    def flush(self) -> None:
        """Write everything collected, inside the caller's transaction."""
        for rows_of, statement in (
            (self._inserts, _insert_statement),
            (self._upserts, _upsert_statement),
            (self._updates, _update_statement),
        ):
            for (model, names), rows in rows_of.items():
                _adapt(model, names, rows)
                sql, defaults = statement(model, names)
                if defaults:
                    for row in rows:
                        row.extend(defaults)
                with connection.cursor() as cursor:
                    cursor.executemany(sql, rows)
            rows_of.clear()


def _adapt(model: ModelType, names: tuple[str, ...], rows: list[list[Any]]) -> None:
    """Convert values to the database's form."""
    adapters = _adapters(model)
    for index, name in enumerate(names):
        if adapt := adapters.get(name):
            for row in rows:
                if row[index] is not None:
                    row[index] = adapt(row[index])


@cache
def _adapters(model: ModelType) -> dict[str, _Adapter]:
    return {
        field.attname: adapter
        for field in model._meta.concrete_fields
        if (adapter := _adapter(field))
    }


def _adapter(field: models.Field[Any, Any]) -> _Adapter | None:
    if isinstance(field, MomentField):
        return as_stored
    if isinstance(field, models.DateTimeField):
        return _as_time
    if isinstance(field, models.DateField):
        return connection.ops.adapt_datefield_value
    if isinstance(field, models.JSONField):
        return _as_json
    return None


def _as_time(value: Any) -> Any:
    """Convert a time like Django, which takes four times as long for one in UTC."""
    if value.tzinfo is UTC:
        return str(value.replace(tzinfo=None))
    return connection.ops.adapt_datetimefield_value(value)


def _as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


@cache
def _insert_statement(model: ModelType, names: tuple[str, ...]) -> _Statement:
    missing = [
        field
        for field in model._meta.concrete_fields
        if field.attname not in names and not field.primary_key
    ]
    columns = [*names, *(field.attname for field in missing)]
    quoted = ", ".join(_column(model, name) for name in columns)
    sql = (
        f"INSERT INTO {table_of(model)} ({quoted}) "
        f"VALUES ({', '.join(['%s'] * len(columns))})"
    )
    return sql, tuple(_default(field) for field in missing)


@cache
def _upsert_statement(model: ModelType, names: tuple[str, ...]) -> _Statement:
    insert, defaults = _insert_statement(model, names)
    columns = [_column(model, name) for name in names if name != "id"]
    assignments = ", ".join(f"{column} = excluded.{column}" for column in columns)
    sql = f"{insert} ON CONFLICT (id) DO UPDATE SET {assignments}"
    return sql, defaults


@cache
def _update_statement(model: ModelType, names: tuple[str, ...]) -> _Statement:
    assignments = ", ".join(f"{_column(model, name)} = %s" for name in names)
    table = table_of(model)
    return f"UPDATE {table} SET {assignments} WHERE id = %s", ()


def _column(model: ModelType, name: str) -> str:
    field = model._meta.get_field(name)
    return quoted(str(getattr(field, "column", name)))


def _default(field: models.Field[Any, Any]) -> Any:
    value, adapter = None if field.null else field.get_default(), _adapter(field)
    return adapter(value) if adapter and value is not None else value


@cache
def _blank(model: ModelType) -> Row:
    """Return the defaults of a model's columns."""
    return {
        field.attname: None if field.null else field.get_default()
        for field in model._meta.concrete_fields
    }


class Entities:
    """The rows of a model by id: read once, changed in memory, written at a flush.

    `empty`: the table has no row of the workspace yet, which saves a query per new row.
    """

    def __init__(
        self, model: type[DerivedModel], workspace_id: int, *, empty: bool
    ) -> None:
        self._model = model
        self._workspace_id = workspace_id
        self._rows: dict[int, Row | None] = {}
        self._dirty: dict[int, None] = {}
        self._empty = empty

    @property
    def changed(self) -> Iterable[int]:
        """The ids of rows that the next flush writes."""
        return self._dirty.keys()

    def get(self, row_id: int) -> Row | None:
        """Return the current row of an id, or None. Read-only."""
        if row_id not in self._rows:
            self.look_up([row_id])
        return self._rows[row_id]

    def look_up(self, row_ids: Iterable[int]) -> None:
        """Read rows by id, in one statement."""
        wanted = [row_id for row_id in row_ids if row_id not in self._rows]
        self._rows |= dict.fromkeys(wanted)
        if wanted and not self._empty:
            found = _rows_among(self._model)(json.dumps(wanted))
            self._rows |= {row["id"]: row for row in found}

    def put(self, row_id: int, **values: Any) -> Row:
        """Update columns of a row, or create it with defaults; return the whole row."""
        own = {"id": row_id, "workspace_id": self._workspace_id}
        before = self.get(row_id) or {**_blank(self._model), **own}
        row = {**before, **values}
        if row != before:
            self._rows[row_id] = row
            self._dirty[row_id] = None
        return row

    def load_all(self) -> Iterable[Row]:
        """Load and return every row of the workspace."""
        if not self._empty:
            for row in _rows_of(self._model)(self._workspace_id):
                self._rows.setdefault(row["id"], row)
        return [row for row in self._rows.values() if row is not None]

    def flush(self, rows: Rows) -> None:
        """Write every changed row to `rows`."""
        for row_id in self._dirty:
            row = self._rows[row_id]
            assert row is not None
            rows.upsert(self._model, **row)
        self._dirty.clear()


@cache
def _rows_of(model: type[DerivedModel]) -> Prepared[Row]:
    rows: QuerySet[Any] = model._default_manager.all()
    return Prepared(lambda workspace: rows.filter(workspace=workspace).values(), int)


@cache
def _rows_among(model: type[DerivedModel]) -> Prepared[Row]:
    rows: QuerySet[Any] = model._default_manager.all()
    return Prepared(lambda ids: rows.filter(id__in=listed(ids)).values(), str)
