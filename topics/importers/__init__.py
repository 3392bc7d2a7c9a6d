"""Topics, histories, decisions and bindings: documents to rows.

One importer a noun; `memoryhub.sync.projection` calls them in turn for every revision.
"""
