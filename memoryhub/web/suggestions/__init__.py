"""Suggestions on pages: their block below what is declared, and verdicts on them."""
