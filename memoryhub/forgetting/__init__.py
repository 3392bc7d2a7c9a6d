"""Forgetting: permanent deletion of texts, files, versions and entries."""
