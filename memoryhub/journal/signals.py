"""Signals of the journal."""

from __future__ import annotations

from django.dispatch import Signal

#: Sent with `workspace` when its journal has new entries, and their rows are stored.
#: Receivers log their failures: what was recorded must not fail for their sake.
journal_grew = Signal()
