"""Models of a query that is repeated after every change, made once per row.

Django needs ten times as long to make a model as SQLite to read its row, and after a
change nearly all rows are as they were.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from threading import Lock
from typing import Any, Generic, TypeVar

from django.db import connection
from django.db.models import Model, QuerySet
from django.db.models.base import ModelState

from memoryhub.journal.prepared import compiled

Row = TypeVar("Row", bound=Model)


class RowMemo(Generic[Row]):
    """The models of the last results of a query, by the columns of their rows.

    There is a result for each key; of more than `most` the least recently used is
    evicted. Models are copies: what is set on one is not on those of the next call.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._results: OrderedDict[object, dict[tuple[Any, ...], Row]] = OrderedDict()
        self._lock = Lock()

    def read(self, key: object, rows: QuerySet[Row, Row]) -> list[Row]:
        """Return the models of a query, without related ones: see `relate`."""
        query = compiled(rows)
        with connection.cursor() as cursor:
            cursor.execute(query.sql, query.filled(()))
            found = cursor.fetchall()
        last = self._results.get(key, {})
        new = [row for row in found if row not in last]
        made = dict(zip(new, query.shaped(new), strict=True))
        result = {row: made.get(row) or last[row] for row in found}
        with self._lock:
            self._results[key] = result
            self._results.move_to_end(key)
            while len(self._results) > self._most:
                self._results.popitem(last=False)
        return [_copy(model) for model in result.values()]


def relate(rows: Iterable[Row], name: str, models: Mapping[int, Model]) -> None:
    """Set a foreign key of many rows to models, by their ids."""
    for row in rows:
        row_id = getattr(row, f"{name}_id")
        row._state.fields_cache[name] = models.get(row_id)


def _copy(model: Row) -> Row:
    """Return a copy of a model without its related ones, many times faster than copy().

    Its columns are values that cannot be changed.
    """
    copied = model.__class__.__new__(model.__class__)
    state = ModelState()
    state.db, state.adding = model._state.db, False
    vars(copied).update(vars(model), _state=state)
    return copied
