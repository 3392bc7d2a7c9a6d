#!/usr/bin/env python
"""Django's command-line utility, from a checkout."""

from __future__ import annotations

import sys

from memoryhub.cli import main

if __name__ == "__main__":
    sys.exit(main())
