"""Importers of snapshots, session memories, log entries and compactions."""
