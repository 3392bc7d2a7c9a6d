"""Secrets in log lines are masked like those on pages."""

from __future__ import annotations

import logging

from django.utils.module_loading import import_string

_MASKED = "memoryhub.formats.secrets.detection.masked"


class MaskedLog(logging.Filter):
    """Masks what looks like a secret in a record, and in its traceback."""

    def filter(self, record: logging.LogRecord) -> bool:
        # Loaded with the first line: most commands log nothing.
        masked = import_string(_MASKED)
        record.msg, record.args = masked(record.getMessage())[0], ()
        if record.exc_info:
            text = logging.Formatter().formatException(record.exc_info)
            record.exc_text = masked(text)[0]
        return True
