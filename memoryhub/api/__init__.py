"""REST under ``/api/v1/``: read operations, and every tool; see docs/rest.md."""
