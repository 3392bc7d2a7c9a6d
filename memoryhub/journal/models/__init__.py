"""Journal models: the record, and the rows of files and agents projected from it."""

from __future__ import annotations

from memoryhub.journal.models.projections import Agent as Agent
from memoryhub.journal.models.projections import DerivedModel as DerivedModel
from memoryhub.journal.models.projections import FileStat as FileStat
from memoryhub.journal.models.projections import Problem as Problem
from memoryhub.journal.models.projections import Source as Source
from memoryhub.journal.models.projections import SourceFile as SourceFile
from memoryhub.journal.models.projections import Span as Span
from memoryhub.journal.models.projections import StoredCount as StoredCount
from memoryhub.journal.models.record import Blob as Blob
from memoryhub.journal.models.record import KeptId as KeptId
from memoryhub.journal.models.record import Operation as Operation
from memoryhub.journal.models.record import Revision as Revision
from memoryhub.journal.models.record import SyncRun as SyncRun
from memoryhub.journal.models.record import Tombstone as Tombstone
from memoryhub.journal.models.record import Workspace as Workspace
