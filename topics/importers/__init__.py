"""Topics, histories, decisions and bindings: documents to rows.

One importer a noun; `memoryhub.sync.record.projection` calls them in turn for every revision.
"""
