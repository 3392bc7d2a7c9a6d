"""Dialects of memory files: text in, frozen documents out, and the same text back."""
