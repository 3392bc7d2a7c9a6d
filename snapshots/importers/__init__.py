"""Snapshots, session memories, log entries and compactions: documents to rows."""
