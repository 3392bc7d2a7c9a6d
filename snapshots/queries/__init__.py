"""Queries of pages on snapshots and session memories."""
