"""One post to the webhook: signed, with a time limit, never redirected; pure.

The signature is that of GitHub's and Stripe's webhooks: HMAC-SHA256 with the shared
secret, here over the time, a full stop and the body, so that an old post cannot be
sent again as a new one.
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

    @property
    def address(self) -> str:
        """Its address without a name and a password, which go into a header."""
        netloc = urlsplit(self.url).netloc
        return self.url.replace(netloc, netloc.rpartition("@")[2], 1)

    @property
    def sign_in(self) -> dict[str, str]:
        """The header of the name and password that it has, if it has any."""
        own = urlsplit(self.url).netloc.rpartition("@")[0]
        coded = b64encode(unquote(own).encode()).decode()
        return {"Authorization": f"Basic {coded}"} if own else {}


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
        # What is wrong with it can hold a part of it, which may be a secret.
        raise NotDelivered("its address cannot be used") from None
    except (OSError, HTTPException) as error:
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
