"""Call a function with Django set up: ``python -m bench.prepared MODULE:NAME ARG``."""

from __future__ import annotations

import os
import sys
from pkgutil import resolve_name

import django

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryhub.settings")
    django.setup()
    resolve_name(sys.argv[1])(sys.argv[2])
