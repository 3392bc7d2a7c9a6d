"""The console script: every subcommand is a Django management command."""

from __future__ import annotations

import os
import sys


def main() -> int:
    """Run the command named on the command line and return its exit code."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryhub.settings")
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)
    return 0
