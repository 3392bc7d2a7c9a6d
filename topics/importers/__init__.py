"""Topics, histories, decisions and bindings: documents to rows.

One importer a noun; `memoryhub.handoffs.importers.chain` calls them in turn.
"""
