"""Write-back cache of rows that many revisions change in a projection."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

from memoryhub.journal.models import DerivedModel
from memoryhub.journal.rows import Row, Rows

#: Limit of parameters in one statement.
_AT_ONCE = 400


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

    def get(self, row_id: int) -> Row | None:
        """Return the current row of an id, or None. Read-only."""
        if row_id not in self._rows:
            self._rows[row_id] = None if self._empty else self._load(row_id)
        return self._rows[row_id]

    def look_up(self, row_ids: Iterable[int]) -> None:
        """Prefetch rows by id, in few statements."""
        wanted = [row_id for row_id in row_ids if row_id not in self._rows]
        self._rows |= dict.fromkeys(wanted)
        for start in range(0, 0 if self._empty else len(wanted), _AT_ONCE):
            for row in self._stored(id__in=wanted[start : start + _AT_ONCE]):
                self._rows[row["id"]] = row

    def put(self, row_id: int, **values: Any) -> Row:
        """Update columns of a row, or create it; return the whole row."""
        before = self.get(row_id) or {"id": row_id, "workspace_id": self._workspace_id}
        row = {**before, **values}
        if row != before:
            self._rows[row_id] = row
            self._dirty[row_id] = None
        return row

    def load_all(self) -> Iterable[Row]:
        """Load and return every row of the workspace."""
        if not self._empty:
            for row in self._stored(workspace_id=self._workspace_id):
                self._rows.setdefault(row["id"], row)
        return [row for row in self._rows.values() if row is not None]

    def flush(self, rows: Rows) -> None:
        """Write every changed row to `rows`."""
        for row_id in self._dirty:
            row = self._rows[row_id]
            assert row is not None
            rows.upsert(self._model, **row)
        self._dirty.clear()

    def _load(self, row_id: int) -> Row | None:
        return next(iter(self._stored(id=row_id)), None)

    def _stored(self, **named: int | list[int]) -> Iterable[Row]:
        return cast(
            Iterable[Row], self._model._default_manager.filter(**named).values()
        )
