"""MemoryHub: a dashboard for the markdown memory of AI agents."""

from __future__ import annotations

#: The version: of the package, and as the program states it everywhere.
__version__ = "1.0.0b1"
