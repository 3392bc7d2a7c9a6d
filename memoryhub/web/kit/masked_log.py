"""Logging filter that masks secrets."""

from __future__ import annotations

import logging

from django.utils.module_loading import import_string

_MASKED = "memoryhub.formats.secrets.detection.masked"


class MaskedLog(logging.Filter):
    """Filter that masks secrets in a record's message and traceback."""

    def filter(self, record: logging.LogRecord) -> bool:
        # Imported with the first line, as most commands log nothing.
        masked = import_string(_MASKED)
        record.msg, record.args = masked(record.getMessage())[0], ()
        if record.exc_info:
            text = logging.Formatter().formatException(record.exc_info)
            record.exc_text = masked(text)[0]
        return True
