"""Version of the hub."""

from __future__ import annotations


def installed_version() -> str:
    """Return the installed version; empty in a checkout."""
    # Imported on demand: it takes a tenth of the time of a sync without changes.
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("memoryhub")
    except PackageNotFoundError:
        return ""
