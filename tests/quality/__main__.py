"""Measure the quality of the import: `python -m tests.quality [--show KIND]`.

Imports labelled workspaces into a fresh database and compares their rows with the
labels. Ends with 1 where a kind is below its limit.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import django

from memoryhub.prose.fit import HELD_BACK
from tests.quality.limits import LIMITS

ROOT = Path(__file__).parents[2]
SETS = ROOT / "tests/labelled"
#: The sets without limits so far: only their figures are printed.
UNLIMITED = frozenset(
    {
        *("fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"),
        *("eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth"),
        *("sixteenth", "seventeenth", "eighteenth", "nineteenth"),
    }
)


def main() -> int:
    """Measure every set; return 1 if one is below a limit."""
    asked = _asked()
    with TemporaryDirectory() as folder:
        os.environ["MEMORYHUB_DATA"] = folder
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryhub.settings")
        django.setup()
        # Models can be imported only now.
        from tests.quality.measuring import Judging, measure

        judging = Judging(held_back=HELD_BACK, unlimited=UNLIMITED)
        return measure(asked.set or [SETS], asked.show, judging)


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.quality")
    parser.add_argument(
        "--set", type=Path, action="append", help="a folder with labels, or of such"
    )
    parser.add_argument(
        "--show", choices=LIMITS, default="", help="list its misses and false finds"
    )
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
