"""Signals of the journal."""

from __future__ import annotations

from django.dispatch import Signal

#: Sent with `workspace` after new journal entries and their rows are stored. Receivers
#: log their own failures: they must not fail what was recorded.
journal_grew = Signal()
