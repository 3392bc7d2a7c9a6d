"""What the original programs answered when they were run on recorded inputs.

The files are those of `tests/conformance`, or of the folder that MEMORYHUB_CONFORMANCE
names; nothing else knows where they are.
"""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path
from typing import Any

_FOLDER = Path(
    os.environ.get("MEMORYHUB_CONFORMANCE") or Path(__file__).parent / "conformance"
)


@cache
def recorded(program: str) -> dict[str, Any]:
    """Return what was recorded of a program, such as `snap-memory`."""
    content: dict[str, Any] = json.loads((_FOLDER / f"{program}.json").read_bytes())
    return content
