"""Which version of the hub this is."""

from __future__ import annotations


def installed_version() -> str:
    """Return the version that was installed; empty in a checkout."""
    # Read only when asked: it takes a tenth of what a sync without changes takes.
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("memoryhub")
    except PackageNotFoundError:
        return ""
