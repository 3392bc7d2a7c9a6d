"""Importers of topics, bindings and decisions: facts to rows."""
