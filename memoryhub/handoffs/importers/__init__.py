"""Handoffs: tasks and what became of them, documents to rows."""
