"""Queries of forgetting: target of a forgetting, and its places in the database."""
