"""Forgetting: texts, files, versions and entries whose bytes have to be gone."""
