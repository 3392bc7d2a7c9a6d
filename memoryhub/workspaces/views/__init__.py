"""Files, health and settings over HTTP."""
