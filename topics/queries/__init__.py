"""Queries of pages on topics, decisions and sessions."""
