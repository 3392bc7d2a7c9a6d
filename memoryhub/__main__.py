"""``python -m memoryhub``: the console script, where it is not on the path."""

from __future__ import annotations

import sys

from memoryhub.cli import main

if __name__ == "__main__":
    sys.exit(main())
