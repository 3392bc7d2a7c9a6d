"""Importers of handoffs: documents to rows."""
