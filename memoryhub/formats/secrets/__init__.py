"""Secrets in text: what finds them, and what is shown in their place."""

#: Shown in place of each line of a secret.
from __future__ import annotations

MASK = "••••••••"
