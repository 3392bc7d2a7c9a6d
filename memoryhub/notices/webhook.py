"""A post to the webhook: signed, with a timeout, without redirects; pure.

The signature is like that of GitHub's and Stripe's webhooks: HMAC-SHA256 with the
shared secret over time, full stop and body, so that an old post cannot be replayed as a
new one.
"""

from __future__ import annotations

import hmac
from base64 import b64encode
from dataclasses import dataclass
from email.message import Message
from http.client import HTTPException, InvalidURL
from typing import IO
from urllib.error import HTTPError
from urllib.parse import unquote, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

#: Timeout in seconds of each socket operation.
TIMEOUT = 5.0
_AGENT = "MemoryHub-Webhook"


class NotDelivered(Exception):
    """A post failed; the text is the reason."""


@dataclass(frozen=True, slots=True)
class Webhook:
    """URL and signing secret of the webhook."""

    url: str
    secret: str

    @property
    def host(self) -> str:
        """Scheme and host, for display: the rest of the URL may be a secret."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"

    @property
    def address(self) -> str:
        """The URL without user name and password, which go into a header."""
        netloc = urlsplit(self.url).netloc
        return self.url.replace(netloc, netloc.rpartition("@")[2], 1)

    @property
    def sign_in(self) -> dict[str, str]:
        """The Basic authorization header, if the URL has a user name and password."""
        own = urlsplit(self.url).netloc.rpartition("@")[0]
        coded = b64encode(unquote(own).encode()).decode()
        return {"Authorization": f"Basic {coded}"} if own else {}


def signature(secret: str, timestamp: int, body: bytes) -> str:
    """Return the signature of a body at a Unix time."""
    signed = f"{timestamp}.".encode() + body
    return f"sha256={hmac.new(secret.encode(), signed, 'sha256').hexdigest()}"


def post(hook: Webhook, delivery: str, body: bytes, timestamp: int) -> None:
    """Post a body once.

    Raises:
        NotDelivered: no answer in time, or a status outside 200 to 299.
    """
    headers = {
        "Content-Type": "application/json",
        "User-Agent": _AGENT,
        "Memoryhub-Delivery": delivery,
        "Memoryhub-Timestamp": str(timestamp),
        "Memoryhub-Signature": signature(hook.secret, timestamp, body),
        **hook.sign_in,
    }
    request = Request(hook.address, data=body, headers=headers, method="POST")
    try:
        with build_opener(_NoRedirect).open(request, timeout=TIMEOUT):
            return
    except HTTPError as error:
        error.close()
        raise NotDelivered(f"answered {error.code}") from error
    except (InvalidURL, ValueError):
        # The error's text can contain a part of the URL, which may be a secret.
        raise NotDelivered("its address cannot be used") from None
    except (OSError, HTTPException) as error:
        raise NotDelivered(_reason(error)) from error


def _reason(error: Exception) -> str:
    said = getattr(error, "reason", error)
    if isinstance(said, TimeoutError):
        return f"no answer within {TIMEOUT:g} seconds"
    return str(said) or type(said).__name__


class _NoRedirect(HTTPRedirectHandler):
    """Handler that does not follow redirects: they count as answers."""

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
