"""Send one message through Apprise: a program of its own, started for each message.

It reads one line of JSON on stdin: `address` (an Apprise URL, or ``webpush://`` with a
browser's subscription), `title`, `body`, `private` (whether private networks are
allowed), and for web push alone `link`, which a click opens, and `key` (PEM). Without a
body it only checks the address. It prints one JSON object: `service`, `host`, `error`
(a code) and `reason`.

A process of its own can be killed when a service never answers, and an audit hook
restricts it for good: no files, no programs, no local sockets, no link-local addresses.
"""

from __future__ import annotations

import ipaddress
import json
import logging
import os
import re
import sys
from base64 import urlsafe_b64decode
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import unquote

#: Seconds a service has to accept a connection, and to answer.
_SECONDS = 5.0
#: Bytes of memory, against endless answers.
_MEMORY = 1 << 30
#: Apprise's services that act on this computer.
_LOCAL = {"blink1", "dbus", "glib", "gnome", "macosx", "syslog", "windows"}
#: Files that libraries read while they send; besides those of Python itself.
_READABLE = (
    "/dev/null", "/dev/urandom", "/etc/ca-certificates", "/etc/mime.types",
    "/etc/pki", "/etc/ssl", "/usr/share/zoneinfo",
)  # fmt: skip
#: Variables that name certificates of other authorities.
_TRUSTED = ("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE")
_RUNS = ("os.system", "os.exec", "os.spawn", "os.posix_spawn", "os.fork")
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_TRUNC
#: Services that tell a machine its own secrets, outside of link-local addresses.
_METADATA = frozenset(
    map(ipaddress.ip_address, ("fd00:ec2::254", "100.100.100.200", "168.63.129.16"))
)
#: All IPv6 addresses of the Internet; `is_global` takes more, as those of a site.
_INTERNET = ipaddress.IPv6Network("2000::/3")
#: The network whose addresses a gateway translates to those of IPv4 (RFC 6052).
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
#: Such networks of a site, of any form (RFC 8215), and two forms out of use.
_TRANSLATED = tuple(
    map(ipaddress.IPv6Network, ("64:ff9b:1::/48", "::ffff:0:0:0/96", "::/96"))
)
#: Seconds for which a push service keeps a message for a browser that is closed.
_PUSH_TTL = 86_400
#: Bytes of a push message's body: services take 4,096 of the whole.
_PUSH_BODY = 2_800
#: VAPID asks for an address of the sender; the hub does not give a person's away.
_PUSH_SENDER = "webpush@memoryhub.example"
#: Causes of a failure in Apprise's log for developers: fixed words, free of secrets.
_CAUSES = re.compile(
    r"Connection refused|Name or service not known|Temporary failure in name resolution"
    r"|No route to host|Network is unreachable|Connection reset by peer|timed out"
    r"|certificate verify failed: [a-zA-Z' -]+|wrong version number"
    r"|Connection unexpectedly closed"
    r"|STARTTLS extension not supported|SMTP AUTH extension not supported"
    r"|(?<=\()[45]\d\d(?=, b['\"])"
)
_TOKEN = re.compile(r"[^:/@?&=,;#+\s]{4,}")


def _inner(
    address: ipaddress.IPv4Address | ipaddress.IPv6Address,
) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    """Return the IPv4 address in an IPv6 one (mapped, 6to4, Teredo, NAT64), or it."""
    if isinstance(address, ipaddress.IPv4Address):
        return address
    if address in _NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)
    teredo = address.teredo and address.teredo[1]
    return address.ipv4_mapped or address.sixtofour or teredo or address


class _Refused(PermissionError):
    """The message's address leads to something a channel may not use."""


class _Guard:
    """Audit hook that refuses all but sending to allowed network addresses."""

    def __init__(self, roots: tuple[str, ...], *, private: bool) -> None:
        self._roots = roots
        self._private = private
        self.refused = ""

    def __call__(self, event: str, args: tuple[Any, ...]) -> None:
        if event in ("socket.connect", "socket.sendto"):
            self._check_network(args[1])
        elif event == "open":
            self._check_file(*args)
        elif event.startswith(("subprocess.", "syslog.")) or event in _RUNS:
            raise self._refusal("it would run a program on this computer")

    def _check_network(self, address: object) -> None:
        if not isinstance(address, tuple):
            raise self._refusal("it leads to a socket of this computer")
        try:
            found = ipaddress.ip_address(str(address[0]).partition("%")[0])
        except ValueError:
            raise self._refusal(f"{address[0]} is not resolved") from None
        found = _inner(found)
        is_odd = any(found in one for one in _TRANSLATED) and not found.is_loopback
        if is_odd or found.is_link_local or found.is_multicast or found.is_unspecified:
            raise self._refusal(f"{found} is no address for messages")
        is_private = not found.is_global or (
            found.version == 6 and found not in _INTERNET
        )
        if found in _METADATA or (is_private and not self._private):
            raise self._refusal(f"{found} is in a private network")

    def _check_file(self, path: object, mode: object, flags: int) -> None:
        if not isinstance(path, str | bytes):
            return
        writes = set(str(mode or "")) & set("wax+") or flags & _WRITES
        place = str(Path(os.fsdecode(path)).resolve())
        if writes or not place.startswith(self._roots):
            raise self._refusal("it would use a file of this computer")

    def _refusal(self, reason: str) -> _Refused:
        self.refused = self.refused or reason
        return _Refused(reason)


class _Warnings(logging.Handler):
    """Collects Apprise's log records of a failure, and the cause behind them."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self._lines: list[str] = []
        self._cause = ""

    def emit(self, record: logging.LogRecord) -> None:
        text = record.getMessage()
        if record.levelno < logging.WARNING:
            found = _CAUSES.search(text) if "Exception" in text else None
            self._cause = found[0] if found else self._cause
        # An address in Apprise's short form still has letters of a password.
        elif "URL: " not in text:
            self._lines.append(text)

    @property
    def reason(self) -> str:
        """The last warning and its cause."""
        warning = " ".join(self._lines[-1:])
        cause = self._cause
        if cause.isdigit():  # The status of a mail server.
            signs_in = ", sign-in refused" if cause.startswith("53") else ""
            cause = f"answered {cause}{signs_in}"
        return f"{warning.rstrip('.')}: {cause}" if warning and cause else warning


def main() -> None:
    """Run the task read from stdin and print its outcome; end quietly without one."""
    # Apprise and its services may print; nothing but the outcome goes to stdout.
    out, sys.stdout = sys.stdout, sys.stderr
    _limit_memory()
    # It takes most of the time, and is done before there is a task.
    apprise = import_module("apprise")
    plugins = import_module("apprise.manager_plugins").NotificationManager()
    plugins.load_modules()
    if not (line := sys.stdin.readline()):
        return
    task = json.loads(line)
    try:
        outcome = _sent(apprise, plugins, task)
    except Exception as error:
        reason = masked(f"{type(error).__name__}: {error}", task["address"])
        outcome = _failed("failed", reason)
    json.dump(outcome, out)
    out.flush()


def masked(text: str, address: str) -> str:
    """Return an error text without any part of the address but its scheme."""
    parts = address.partition("://")[2]
    words = {*_TOKEN.findall(parts), *_TOKEN.findall(unquote(parts))}
    for word in sorted(words, key=len, reverse=True):
        text = text.replace(word, "…")
    return " ".join(text.split())[:300]


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:  # Windows
        return
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))


def _failed(code: str, reason: str = "", **known: str) -> dict[str, str]:
    return {"service": "", "host": "", **known, "error": code, "reason": reason}


def _sent(apprise: Any, plugins: Any, task: Mapping[str, Any]) -> dict[str, str]:
    """Check the address and send the message, if there is one."""
    warnings = _Warnings()
    log = logging.getLogger("apprise")
    log.handlers, log.propagate = [warnings], False
    log.setLevel(logging.DEBUG)
    site = Path(str(apprise.__file__)).parents[1]
    installed = (site, sys.prefix, sys.base_prefix)
    roots = (str(Path(root).resolve()) + os.sep for root in installed)
    trusted = (str(Path(os.environ[n]).resolve()) for n in _TRUSTED if n in os.environ)
    readable = (*_READABLE, *roots, *trusted)
    guard = _Guard(readable, private=bool(task["private"]))
    # A module that is loaded later may have no compiled form yet: none is written.
    sys.dont_write_bytecode = True
    sys.addaudithook(guard)
    scheme = task["address"].partition("://")[0].lower()
    if scheme == "webpush":
        return _pushed(apprise, task, guard, warnings)
    if code := _refused_service(plugins, scheme):
        return _failed(code)
    plugin = _plugin(apprise, task["address"])
    if plugin is None:
        reason = masked(warnings.reason, task["address"])
        return _failed("invalid", guard.refused or reason)
    known = {"service": str(plugin.service_name), "host": _host(plugin)}
    title, body = task["title"], task.get("body")
    if not body and len(plugin) > 1:
        # Where one refuses, the others would get the message again and again.
        return _failed("several")
    # The plugin's own `notify` would take the text as the HTML of its service.
    service = apprise.Apprise(asset=plugin.asset)
    service.add(plugin)
    # Escapes of Markdown would break addresses: the text has no markup of links.
    wanted = "markdown" if plugin.resolve_format("text") == "markdown" else "text"
    if not body or service.notify(body=body, title=title, body_format=wanted):
        return {**known, "error": "", "reason": ""}
    return _not_taken(task, guard, warnings, known)


def _refused_service(plugins: Any, scheme: str) -> str:
    """Return the code of a service that cannot be used; "" for others."""
    if scheme not in plugins or not plugins[scheme].enabled:
        return "unknown-service"
    is_local = plugins[scheme].__module__.rpartition(".")[2] in _LOCAL
    return "local" if is_local else ""


def _not_taken(
    task: Mapping[str, Any],
    guard: _Guard,
    warnings: _Warnings,
    known: Mapping[str, str],
) -> dict[str, str]:
    reason = masked(warnings.reason or "not accepted", task["address"])
    return _failed("failed", guard.refused or reason, **known)


def _pushed(
    apprise: Any, task: Mapping[str, Any], guard: _Guard, warnings: _Warnings
) -> dict[str, str]:
    """Check a browser's subscription, and send it the message as JSON if any."""
    vapid = import_module("apprise.plugins.vapid")
    encoded = task["address"].partition("://")[2]
    try:
        text = urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4)).decode()
        found = vapid.subscription.WebPushSubscription(text)
    except (ValueError, apprise.exception.AppriseException):
        return _failed("invalid", "it is no subscription of a browser")
    known = {"service": "Web push", "host": str(found.origin).partition("://")[2]}
    if not task.get("body"):
        return {**known, "error": "", "reason": ""}
    plugin = vapid.NotifyVapid(_PUSH_SENDER, include_image=False, asset=_asset(apprise))
    plugin.subscriptions[_PUSH_SENDER] = found
    plugin.pem = _pem_of(task["key"])
    plugin.ttl = _PUSH_TTL
    message = _push_message(task["title"], task["body"], task["link"])
    if _restricted(plugin).notify(body=message, title="", body_format="text"):
        return {**known, "error": "", "reason": ""}
    return _not_taken(task, guard, warnings, known)


def _push_message(title: str, body: str, link: str) -> str:
    """Return a message for the service worker, with the link that a click opens."""
    shown = body.encode()[:_PUSH_BODY].decode("utf-8", "ignore")
    message = {"title": title[:200], "body": shown, "url": link}
    return json.dumps(message, ensure_ascii=False)


def _pem_of(text: str) -> Any:
    """Return a key in memory in the form that Apprise's web push uses."""
    serialization = import_module("cryptography.hazmat.primitives.serialization")
    key = serialization.load_pem_private_key(text.encode(), None)
    pem = import_module("apprise.utils.pem").ApprisePEMController(None)
    pem.private_key = lambda *names, **options: key
    pem.public_key = lambda *names, **options: key.public_key()
    return pem


def _plugin(apprise: Any, address: str) -> Any:
    """Return the service of an address, restricted; None if it is no valid one."""
    plugin = apprise.Apprise.instantiate(address, asset=_asset(apprise))
    return plugin and _restricted(plugin)


def _restricted(plugin: Any) -> Any:
    plugin.redirects, plugin.retry, plugin.overflow_mode = False, 0, "split"
    plugin.socket_connect_timeout = plugin.socket_read_timeout = _SECONDS
    return plugin


def _asset(apprise: Any) -> Any:
    return apprise.AppriseAsset(
        app_id="MemoryHub",
        app_desc="MemoryHub",
        app_url="",
        async_mode=False,
        storage_mode="memory",
        allow_templates=False,
        secure_logging=True,
        pgp_autogen=False,
        pem_autogen=False,
    )


def _host(plugin: Any) -> str:
    """Return the server of a self-hosted service; of others it is part of a secret."""
    is_server = "host" in plugin.template_tokens
    host = getattr(plugin, "host", "") if is_server else ""
    port = getattr(plugin, "port", None)
    return f"{host}:{port}" if host and port else host or ""


if __name__ == "__main__":
    main()
