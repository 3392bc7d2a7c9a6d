"""Secrets on pages: masked where people read, sealed where the browser sends them back.

The only place for all pages: texts, titles, tooltips, links, forms, tables, redirects.
Exports of files stay as they are. ``?show=secrets`` shows a page unmasked.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from html import escape, unescape
from typing import NamedTuple

from django.http import HttpRequest, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.template.loader import render_to_string

from memoryhub.database.secret_key import OPEN, opened, sealed
from memoryhub.formats.secrets import MASK
from memoryhub.formats.secrets.detection import Secret, find_secrets, masked
from memoryhub.formats.text.hidden import HIDDEN, escape_of
from memoryhub.web.kit.links import addresses_of
from memoryhub.web.rights import opens

_CELL = r"t[dh](?:\s[^<>]*)?"
#: Tags that are read as a sign: table cells as a row of Markdown, a list's term as a
#: name before a colon.
_SIGNS = (
    (rf"<tr(?:\s[^<>]*)?>\s*<{_CELL}>", "\n| "),
    (rf"</t[dh]>\s*<{_CELL}>", " | "),
    (r"</t[dh]>\s*</tr>", " |"),
    (r"</dt>\s*<dd(?:\s[^<>]*)?>", ": "),
    # Labels, counts and names are in spans and links of their own.
    (r"</?(?:a|span)(?:\s[^<>]*)?>", " "),
)
#: Inline tags: bold text and its neighbours are read as one text.
_INLINE = r"</?(?:b|bdi|code|del|em|i|ins|kbd|mark|s|strong)(?:\s[^<>]*)?>"
#: Tags between lines; the content of text fields is sealed, not masked.
_FIELD, _BETWEEN = r"<textarea[^<>]*>[^<]*</textarea>", r"<[^<>]*>"
_TAG = re.compile(
    "|".join(f"({form})" for form, _ in _SIGNS) + f"|({_INLINE})|({_FIELD}|{_BETWEEN})"
)
_READ_AS = (*(sign for _, sign in _SIGNS), "", "\n")
#: Stands for a text field while the tags around it are read.
_NO_TEXT = "\0"
#: The same tags, each form in a pass of its own: quicker than one pass with a function.
_PASSES = (
    (re.compile(_FIELD), _NO_TEXT),
    *((re.compile(form), sign) for form, sign in _SIGNS),
    (re.compile(_INLINE), ""),
    (re.compile(f"{_BETWEEN}|{_NO_TEXT}"), "\n"),
)
#: Names of attributes that are displayed or read out.
_SHOWN_NAMES = "title|aria-label|alt|placeholder|data-label"
_SHOWN = re.compile(rf'(?P<name>[ \n](?:{_SHOWN_NAMES}))="(?P<text>[^"]*)"')
#: Names of attributes that a browser sends back.
_SENT_NAMES = (
    "href|action|value|formaction|data-copy|data-href|hx-(?:get|post|push-url)"
)
_SENT = re.compile(rf'(?P<name>[ \n](?:{_SENT_NAMES}))="(?P<text>[^"]*)"')
_ATTRIBUTE = re.compile(rf'[ \n](?:{_SHOWN_NAMES}|{_SENT_NAMES})="([^"]*)"')
_HIDDEN = re.compile(rf"(?P<sent>{_FIELD}|{_SENT.pattern})|{HIDDEN.pattern}")
_TYPED = re.compile(r"(?P<open><textarea[^<>]*>)(?P<text>[^<]*)(?P<close></textarea>)")
_ANY_TAG = re.compile(f"({_BETWEEN})")
#: Elements that hold no link.
_CLOSED = re.compile(
    r"<(/?)(?:a|button|option|script|style|summary|svg|textarea|title)[\s>]"
)
_SHOW = "secrets"
#: A page that shows a new token once, to its creator.
_MADE_HERE = frozenset({"tokens"})
_ACCOUNTS = "accounts/"
_FORMS = frozenset({"application/x-www-form-urlencoded", "multipart/form-data"})
#: Placeholder of the notice that something is masked.
_NOTICE = "<!--masked-->"


def secrets_masked(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Return a middleware that masks secrets on pages and opens sealed ones."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        _open_request(request)
        response = get_response(request)
        if _is_of_accounts(request):
            return response
        if "Location" in response:
            response["Location"] = sealed(response["Location"])
        is_page = response.headers.get("Content-Type", "").startswith("text/html")
        if isinstance(response, HttpResponse) and is_page:
            _show_hidden(response)
        if isinstance(response, HttpResponse) and _is_masked(request, response):
            page, forget = response.content.decode(), _forget_url(request)
            shown = _with_notice(request, with_masks(page), page, forget)
            response.content = with_links(shown, forget) if forget else shown
        return response

    return middleware


def _show_hidden(response: HttpResponse) -> None:
    """Show the hidden characters of a page, but in what the browser sends back."""
    page = response.content.decode()
    if not page.isascii() and HIDDEN.search(page):
        response.content = _HIDDEN.sub(
            lambda found: found["sent"] or escape_of(found), page
        )


def _open_request(request: HttpRequest) -> None:
    """Open the sealed secrets of an address or a form."""
    request.path_info, request.path = opened(request.path_info), opened(request.path)
    request.GET = _opened_values(request.GET)  # type: ignore[assignment]
    # The body of an anonymous request is not read, and the API takes no forms.
    is_known = request.user.is_authenticated
    if request.method == "POST" and is_known and request.content_type in _FORMS:
        request.POST = _opened_values(request.POST)  # type: ignore[assignment]


def _opened_values(values: QueryDict) -> QueryDict:
    found = {name: list(map(opened, values.getlist(name))) for name in values}
    if all(found[name] == values.getlist(name) for name in found):
        return values
    copy = values.copy()
    for name, each in found.items():
        copy.setlist(name, each)
    return copy


def _is_masked(request: HttpRequest, response: HttpResponse) -> bool:
    match = request.resolver_match
    return (
        response.headers.get("Content-Type", "").startswith("text/html")
        and (match is None or match.url_name not in _MADE_HERE)
        and request.GET.get("show") != _SHOW
    )


def _is_of_accounts(request: HttpRequest) -> bool:
    """Return whether a page is one of accounts: it has one-time secrets, no files."""
    match = request.resolver_match
    return match is not None and match.route.startswith(_ACCOUNTS)


def _forget_url(request: HttpRequest) -> str:
    """Return the form that forgets the secrets of a page: of its file, or of all.

    Empty outside of workspaces, and for who may not forget.
    """
    match = request.resolver_match
    slug = match.kwargs.get("slug") if match and match.route.startswith("w/") else None
    if not match or not slug or not request.user.is_authenticated:
        return ""
    path = match.kwargs["path"] if match.url_name == "file" else ""
    url = addresses_of(slug).forget_secrets(path)
    return sealed(url) if opens(url) else ""


def _with_notice(request: HttpRequest, page: str, before: str, forget: str) -> str:
    """Insert the notice of masked secrets with a link that shows them."""
    if _NOTICE not in page:
        return page
    count = sum(page.count(sign) - before.count(sign) for sign in (MASK, OPEN))
    query = request.GET.copy()
    query["show"] = _SHOW
    notice = render_to_string(
        "components/masked.html",
        {
            "count": count,
            "url": f"{sealed(request.path)}?{sealed(query.urlencode())}",
            "forget": forget,
        },
    )
    return page.replace(_NOTICE, notice if count else "", 1)


def with_links(html: str, url: str) -> str:
    """Make each mask in a page's text a link, but in links, buttons and fields."""
    if MASK not in html:
        return html
    link = render_to_string("components/mask.html", {"url": url, "mask": MASK}).strip()
    pieces, depth = _ANY_TAG.split(html), 0
    for number, piece in enumerate(pieces):
        if tag := _CLOSED.match(piece) if number % 2 else None:
            depth += -1 if tag[1] else 1
        elif not depth and MASK in piece:
            pieces[number] = piece.replace(MASK, link) if not number % 2 else piece
    return "".join(pieces)


def with_masks(html: str) -> str:
    """Mask the secrets of a page; seal them in links and forms."""
    # Most pages have no secret: they are not split into tags.
    if not find_secrets(_all_that_is_read(html)):
        return html
    html = _SENT.sub(_sealed_attribute, _TYPED.sub(_sealed_text, html))
    html = _SHOWN.sub(_masked_attribute, html)
    nodes = list(_nodes(html))
    secrets = deque(find_secrets("".join(node.text for node in nodes)))
    parts, at = [], 0
    for node in nodes:
        cuts = list(_cuts(secrets, at, at + len(node.text)))
        is_shown = cuts and not node.is_tag
        parts.append(escape(_cut(node.text, cuts)) if is_shown else node.source)
        at += len(node.text)
    return "".join(parts)


def _all_that_is_read(html: str) -> str:
    """Return all readable text, line by line: between tags, attributes, fields."""
    shown = html
    for tags, sign in _PASSES:
        shown = tags.sub(sign, shown)
    fields = (text for _, text, _ in _TYPED.findall(html))
    return unescape("\n".join((shown, *_ATTRIBUTE.findall(html), *fields)))


class _Node(NamedTuple):
    """A tag or the text between tags: its source, and its text as read."""

    source: str
    text: str
    is_tag: bool


def _nodes(html: str) -> Iterator[_Node]:
    place = 0
    for tag in _TAG.finditer(html):
        yield _text(html[place : tag.start()])
        yield _Node(tag[0], _read_as(tag), is_tag=True)
        place = tag.end()
    yield _text(html[place:])


def _text(source: str) -> _Node:
    return _Node(source, unescape(source), is_tag=False)


def _read_as(tag: re.Match[str]) -> str:
    return _READ_AS[(tag.lastindex or 1) - 1]


def _masked_attribute(attribute: re.Match[str]) -> str:
    text, found = masked(unescape(attribute["text"]))
    return f'{attribute["name"]}="{escape(text)}"' if found else attribute[0]


def _sealed_attribute(attribute: re.Match[str]) -> str:
    text = unescape(attribute["text"])
    closed = sealed(text)
    return f'{attribute["name"]}="{escape(closed)}"' if closed != text else attribute[0]


def _sealed_text(field: re.Match[str]) -> str:
    text = unescape(field["text"])
    closed = sealed(text)
    if closed == text:
        return field[0]
    return f"{field['open']}{escape(closed)}{field['close']}"


def _cuts(secrets: deque[Secret], start: int, end: int) -> Iterator[Secret]:
    """Yield the parts of secrets in a node as offsets; drop secrets that end in it."""
    while secrets and secrets[0].start < end:
        first = secrets[0]
        yield Secret(max(0, first.start - start), min(end, first.end) - start)
        if first.end > end:
            return
        secrets.popleft()


def _cut(text: str, cuts: Iterable[Secret]) -> str:
    parts, place = [], 0
    for start, end in cuts:
        hidden = text[start:end]
        mask = "\n".join([MASK] * (hidden.count("\n") + 1))
        parts += [text[place:start], mask if hidden.strip() else hidden]
        place = end
    return "".join([*parts, text[place:]])
