"""Decisions and open items that free text states explicitly."""
