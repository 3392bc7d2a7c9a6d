"""Dialects of memory files: a folder each; `registry` finds them."""
