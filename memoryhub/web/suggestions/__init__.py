"""Verdicts on suggestions."""
