"""All rows of a workspace that are made from its journal, for comparison."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django.db import models

from memoryhub.journal.models import Problem, Workspace
from memoryhub.sync.record.projection import projected

#: The rows of a table by their id.
Table = dict[int, dict[str, Any]]


def projected_rows(
    workspace: Workspace, *, without: Collection[str] = ()
) -> dict[str, Table]:
    """Return every projected row with all its columns, by table and id.

    `without` names columns that are left out.
    """
    tables: list[type[models.Model]] = [*projected(), Problem]
    return {model.__name__: _rows(model, workspace, without) for model in tables}


def _rows(
    model: type[models.Model], workspace: Workspace, without: Collection[str]
) -> Table:
    rows = model._default_manager.filter(workspace=workspace)
    if model is Problem:
        rows = rows.filter(seq__isnull=False)
    names = [f.attname for f in model._meta.concrete_fields if f.attname not in without]
    return {row["id"]: row for row in rows.values(*names)}


def differences(first: dict[str, Table], second: dict[str, Table]) -> list[str]:
    """Return how two states differ, in words for a failed test."""
    found = []
    for name, rows in first.items():
        others = second[name]
        for row_id in rows.keys() | others.keys():
            one, other = rows.get(row_id), others.get(row_id)
            if one is None or other is None:
                found.append(f"{name}: only one has {one or other}")
            elif one != other:
                changed = {k: (v, other[k]) for k, v in one.items() if v != other[k]}
                found.append(f"{name}: {changed} in {one}")
    return found
