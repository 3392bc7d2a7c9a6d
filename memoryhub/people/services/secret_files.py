"""Files of the data folder that hold a secret, readable by their owner only."""

from __future__ import annotations

import os
import secrets
from pathlib import Path


def write_secret(path: Path, text: str) -> None:
    """Write a file with mode 0600, atomically replacing an existing one."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    draft = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    made = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    with os.fdopen(made, "w", encoding="ascii") as file:
        file.write(text)
    draft.replace(path)
