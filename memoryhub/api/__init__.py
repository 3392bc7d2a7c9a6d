"""REST under ``/api/v1/``: what programs read, and every tool; see docs/rest.md."""
