"""Another program that opens a file, appends a line and closes it, again and again."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

APPENDED = 400
_PROGRAM = f"""
import os, sys, time
for number in range({APPENDED}):
    time.sleep(number % 7 / 5000)
    file = os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND)
    os.write(file, b"- line %d\\n" % number)
    os.close(file)
"""


def appending(path: Path) -> subprocess.Popen[bytes]:
    """Start it: it appends `APPENDED` lines, at any moment, and ends."""
    return subprocess.Popen([sys.executable, "-S", "-c", _PROGRAM, str(path)])
