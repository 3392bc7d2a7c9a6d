"""Reads of the database for forgetting: what a forgetting is about, and where it is."""
