"""Importers of topics, histories, decisions and bindings: documents to rows.

One importer per noun; `memoryhub.handoffs.importers.chain` calls them in turn.
"""
