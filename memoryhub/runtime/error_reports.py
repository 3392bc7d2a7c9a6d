"""Error reports to Sentry or a compatible server, without any text.

A report names types of errors, places in the source and loggers. Words of errors and of
the log, values of variables, addresses and headers can contain memory: all are left out
here, whatever the library would send.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from memoryhub import __version__

if TYPE_CHECKING:
    from sentry_sdk.types import Event, Hint

#: Parts of an event that are sent.
_SENT = ("event_id", "timestamp", "level", "logger", "platform", "release", "exception")
_OF_A_FRAME = ("function", "module", "filename", "lineno", "in_app")
_SECONDS = 1.0


def start() -> None:
    """Report logged and unhandled errors from now on, if a DSN is set.

    Raises:
        ImproperlyConfigured: the extra ``sentry`` is not installed.
    """
    if not settings.MEMORYHUB_SENTRY_DSN:
        return
    try:
        import sentry_sdk
        from sentry_sdk.integrations.excepthook import ExcepthookIntegration
        from sentry_sdk.integrations.logging import LoggingIntegration
        from sentry_sdk.integrations.threading import ThreadingIntegration
    except ImportError as error:
        raise ImproperlyConfigured(
            "MEMORYHUB_SENTRY_DSN needs: pip install memoryhub[sentry]"
        ) from error
    sentry_sdk.init(
        dsn=settings.MEMORYHUB_SENTRY_DSN,
        release=f"memoryhub@{__version__}",
        server_name="",
        default_integrations=False,
        auto_enabling_integrations=False,
        integrations=[
            LoggingIntegration(level=None),
            ExcepthookIntegration(),
            ThreadingIntegration(),
        ],
        include_local_variables=False,
        include_source_context=False,
        max_breadcrumbs=0,
        max_request_body_size="never",
        send_default_pii=False,
        before_send=without_texts,
    )


def finish() -> None:
    """Flush unsent reports within a second."""
    if settings.MEMORYHUB_SENTRY_DSN:
        import sentry_sdk

        sentry_sdk.flush(_SECONDS)


def without_texts(event: Event, hint: Hint) -> Event:
    """Return the parts of an event that contain no text of memory."""
    sent: Any = {name: event[name] for name in _SENT if name in event}  # type: ignore[literal-required]
    if "logentry" in event:
        # Filters of the log have put the values into the template by now.
        sent["logentry"] = {"message": f"logged by {event.get('logger', '')}"}
    if raised := sent.pop("exception", None):
        sent["exception"] = {"values": [*map(_shortened, raised.get("values", ()))]}
    return sent  # type: ignore[no-any-return]


def _shortened(raised: dict[str, Any]) -> dict[str, Any]:
    frames = (raised.get("stacktrace") or {}).get("frames", ())
    return {
        "type": raised.get("type"),
        "module": raised.get("module"),
        "stacktrace": {
            "frames": [
                {name: frame[name] for name in _OF_A_FRAME if name in frame}
                for frame in frames
            ]
        },
    }
