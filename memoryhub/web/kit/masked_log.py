"""Logging filter that masks secrets, also those of links of accounts."""

from __future__ import annotations

import logging

from django.utils.module_loading import import_string

from memoryhub.accounts.links import without_secrets

_MASKED = "memoryhub.formats.secrets.detection.masked"


class MaskedLog(logging.Filter):
    """Filter that masks secrets in a record's message and traceback."""

    def filter(self, record: logging.LogRecord) -> bool:
        # Imported with the first line, as most commands log nothing.
        masked = import_string(_MASKED)
        text = without_secrets(record.getMessage())
        record.msg, record.args = masked(text)[0], ()
        if record.exc_info:
            text = logging.Formatter().formatException(record.exc_info)
            record.exc_text = masked(text)[0]
        return True
