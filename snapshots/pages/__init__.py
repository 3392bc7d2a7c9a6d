"""Snapshots, session memories and recalls as pages show them."""
