"""Response models of workspaces and their files."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field

from memoryhub.dialects.roles import Role
from memoryhub.journal.models import FileStat, SourceFile, Workspace
from memoryhub.workspaces.services.documents import Document


class WorkspaceRecord(BaseModel):
    """A folder of agents' memory."""

    slug: str
    name: str
    time_zone: str
    journal_entries: int
    checked_at: datetime | None

    @classmethod
    def of(cls, workspace: Workspace) -> WorkspaceRecord:
        return cls(
            slug=workspace.slug,
            name=workspace.name,
            time_zone=workspace.time_zone,
            journal_entries=workspace.last_seq,
            checked_at=workspace.checked_at,
        )


class HeldFileRecord(BaseModel):
    """A file that vanished with most others and is not recorded as deleted."""

    path: str
    held_at: datetime

    @classmethod
    def of(cls, row: FileStat) -> HeldFileRecord:
        assert row.held_at is not None
        return cls(path=row.path, held_at=row.held_at)


class AcceptedRecord(BaseModel):
    """The import that recorded files as deleted."""

    number: int
    deleted: int
    held: int = Field(description="Files that went at once since, and are held now")


class FileRecord(BaseModel):
    """A file of a workspace."""

    path: str
    format: str
    role: Role | Literal[""] = Field(
        description="What is read from it; empty until this version has read it"
    )
    title: str
    lines: int
    tokens: int
    size: int
    present: bool
    recorded_at: datetime
    seq: int

    @classmethod
    def of(cls, row: SourceFile) -> FileRecord:
        return cls(**{name: getattr(row, name) for name in cls.model_fields})


class DocumentRecord(BaseModel):
    """The content of a file; `sha256` of its bytes is also its ETag."""

    path: str
    role: str = Field(description="What is read from it; as of files")
    text: str
    sha256: str
    size: int
    encoding: str
    replaced: int = Field(description="Letters that stand for bytes that are no text")
    seq: int
    recorded_at: datetime

    @classmethod
    def of(cls, found: Document) -> DocumentRecord:
        return cls(
            path=found.file.path,
            role=found.file.role,
            text=found.decoded.text,
            sha256=found.sha256,
            size=found.file.size,
            encoding=found.decoded.encoding,
            replaced=found.decoded.replaced,
            seq=found.file.seq,
            recorded_at=found.file.recorded_at,
        )
