"""One post to the webhook: signed, with a time limit, never redirected; pure.

The signature is that of GitHub's and Stripe's webhooks: HMAC-SHA256 with the shared
secret, here over the time, a full stop and the body, so that an old post cannot be
sent again as a new one.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from email.message import Message
from http.client import HTTPException
from typing import IO
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

#: Seconds that each step of a post may take.
TIMEOUT = 5.0
_AGENT = "MemoryHub-Webhook"


class NotDelivered(Exception):
    """The webhook did not take a post; the text says why."""


@dataclass(frozen=True, slots=True)
class Webhook:
    """Where to post, and the secret that signs what is posted."""

    url: str
    secret: str

    @property
    def host(self) -> str:
        """Its scheme and host; the rest of the address may be a secret."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"


def signature(secret: str, timestamp: int, body: bytes) -> str:
    """Return the signature of a body that is sent at a time."""
    signed = f"{timestamp}.".encode() + body
    return f"sha256={hmac.new(secret.encode(), signed, 'sha256').hexdigest()}"


def post(hook: Webhook, delivery: str, body: bytes, timestamp: int) -> None:
    """Post a body once.

    Raises:
        NotDelivered: there was no answer in time, or none from 200 to 299.
    """
    headers = {
        "Content-Type": "application/json",
        "User-Agent": _AGENT,
        "Memoryhub-Delivery": delivery,
        "Memoryhub-Timestamp": str(timestamp),
        "Memoryhub-Signature": signature(hook.secret, timestamp, body),
    }
    request = Request(hook.url, data=body, headers=headers, method="POST")
    try:
        with build_opener(_NoRedirect).open(request, timeout=TIMEOUT):
            return
    except HTTPError as error:
        error.close()
        raise NotDelivered(f"answered {error.code}") from error
    except (OSError, HTTPException, ValueError) as error:
        raise NotDelivered(_reason(error)) from error


def _reason(error: Exception) -> str:
    said = getattr(error, "reason", error)
    if isinstance(said, TimeoutError):
        return f"no answer within {TIMEOUT:g} seconds"
    return str(said) or type(said).__name__


class _NoRedirect(HTTPRedirectHandler):
    """A redirect is an answer like any other: nothing is posted where it leads."""

    def redirect_request(
        self,
        req: Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: Message,
        newurl: str,
    ) -> None:
        return None
