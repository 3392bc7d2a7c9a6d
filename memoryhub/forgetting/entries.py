"""An entry as the target of a forgetting: its lines in files, and its own texts."""

from __future__ import annotations

from typing import Any

from memoryhub.events.models import Event
from memoryhub.formats.base import FormatError, Lines
from memoryhub.journal.models import DerivedModel, Source, SourceFile, Span, Workspace
from memoryhub.sync.record.projection import projected
from memoryhub.values.identity import id_of
from snapshots.exporters import lines_of, span_text


def needle_of_entry(workspace: Workspace, address: str) -> dict[str, Any]:
    """Return the lines and texts of an entry, by its id or its page's address.

    An entry of several files, such as a decision, has lines in each of them.

    Raises:
        FormatError: ``row-unknown``; ``entry-without-lines``.
    """
    row = _row_of(workspace, address)
    spans = [row] if isinstance(row, Span) else _sources_of(row)
    blocks = {_block(span) for span in spans} - {""}
    if not blocks:
        raise FormatError("entry-without-lines", row=address)
    texts = {
        str(value)
        for field in row._meta.concrete_fields
        if isinstance(value := getattr(row, field.attname), str)
    }
    what = str(row._meta.verbose_name)
    return {"blocks": sorted(blocks), "texts": sorted(texts), "what": what}


def _row_of(workspace: Workspace, address: str) -> DerivedModel:
    """Return the row of an entry; for an event of the timeline that of its entry."""
    row_id = _id_in(address)
    for model in projected():
        if not issubclass(model, DerivedModel) or model is SourceFile:
            continue
        row = model._default_manager.filter(workspace=workspace, pk=row_id).first()
        if isinstance(row, Event) and row.target_id is not None:
            return _row_of(workspace, Event(id=row.target_id).code)
        if row is not None:
            return row
    raise FormatError("row-unknown", row=address)


def _id_in(address: str) -> int:
    """Return the last id in an address, or the id itself.

    Raises:
        FormatError: ``row-unknown``, there is none.
    """
    path = address.partition("?")[0].partition("#")[0]
    for part in reversed(path.split("/")):
        try:
            return id_of(part)
        except ValueError:
            continue
    raise FormatError("row-unknown", row=address)


def _sources_of(row: DerivedModel) -> list[Span]:
    sources = Source.objects.filter(workspace=row.workspace_id, target_id=row.pk)
    return list(sources.select_related("file__blob__base"))


def _block(span: Span) -> str:
    lines = Lines(span.first_line, span.last_line)
    return lines_of(span_text(span), lines).strip("\r\n")
