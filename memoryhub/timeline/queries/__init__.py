"""Queries of pages on events, agents and things that wait for a person."""
