"""Snapshots, session memories and recalls over HTTP."""
