"""Presenter of memory folders found on this computer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext, ngettext

from memoryhub.discovery.discover import Found
from memoryhub.disk.files import text_path
from memoryhub.journal.models import Workspace
from memoryhub.journal.page_cache import cached
from memoryhub.web.kit.clock import Clock
from memoryhub.web.kit.links import addresses_of
from memoryhub.workspaces.services.adding import NotAFolder, is_known
from memoryhub.workspaces.services.discovering import (
    Offer,
    Offers,
    offers_here,
    offers_inside,
)

#: Seconds that a page may look for folders.
_SECONDS = 1.5
#: Rows shown at first, and at most.
_SHOWN, _MOST = 6, 200


def discovered(request: HttpRequest) -> dict[str, Any]:
    """Return the memory folders on this computer for a page, new ones first.

    `folder` of the request is a repository to look into too.
    """
    folder = request.GET.get("folder", "").strip().replace("\x00", "")
    try:
        offers = offers_here(None, [Path(folder)] if folder else [], seconds=_SECONDS)
        wrong = ""
    except NotAFolder:
        offers = offers_here(seconds=_SECONDS)
        wrong = gettext("%(path)s is not a folder on this computer.") % {"path": folder}
    rows = _rows(offers)
    return {
        "rows": rows[:_SHOWN],
        "more": rows[_SHOWN:_MOST],
        "left": max(len(rows) - _MOST, 0),
        "new": len(offers.new),
        "was_cut": offers.discovery.was_cut,
        "home": text_path(str(offers.discovery.home)),
        "folder": folder,
        "wrong": wrong,
    }


def inside_rows(workspace: Workspace, clock: Clock) -> list[dict[str, Any]]:
    """Return the folders that the imports leave out, as workspaces of their own.

    They are looked for after an import, not for each page.
    """
    found = cached(
        workspace, "inside", lambda: offers_inside(workspace, seconds=_SECONDS)
    )
    new = [one for one in found if not is_known(one.place.root)]
    return [_inside_row(one, workspace, clock) for one in new]


def _inside_row(found: Found, workspace: Workspace, clock: Clock) -> dict[str, Any]:
    path = text_path(str(found.place.root)).removeprefix(f"{workspace.root}/")
    return {
        "key": found.place.key,
        "title": path,
        "place": path,
        "facts": (*_counts(found), *_age(found, clock)),
        "url": "",
        "can_be_added": not found.is_unreadable,
    }


def _rows(offers: Offers) -> list[dict[str, Any]]:
    clock = Clock.of(settings.TIME_ZONE)
    ordered = sorted(offers.offers, key=lambda offer: offer.workspace is not None)
    return [_row(offer, offers.discovery.home, clock) for offer in ordered]


def _row(offer: Offer, home: Path, clock: Clock) -> dict[str, Any]:
    found, workspace = offer.found, offer.workspace
    place = _short(str(found.place.root), home)
    return {
        "key": found.place.key,
        "title": _short(found.place.project, home) or place,
        "place": place,
        "facts": (found.place.host, *_counts(found), *_age(found, clock)),
        "url": addresses_of(workspace.slug).base if workspace else "",
        "can_be_added": workspace is None and not found.is_unreadable,
    }


def _counts(found: Found) -> tuple[str, ...]:
    if found.is_unreadable:
        return (gettext("cannot be read"),)
    if found.was_cut:
        return (gettext("more than %(n)s files") % {"n": found.files},)
    files = ngettext("%(n)s file", "%(n)s files", found.files) % {"n": found.files}
    return files, filesizeformat(found.size)


def _age(found: Found, clock: Clock) -> tuple[str, ...]:
    if found.newest is None:
        return ()
    return (gettext("changed %(age)s") % {"age": clock.age(found.newest)},)


def _short(path: str, home: Path) -> str:
    """Return a path with ``~`` for the home folder."""
    if path == str(home):
        return "~"
    inner = path.removeprefix(f"{home}/")
    return text_path(path if inner == path else f"~/{inner}")
