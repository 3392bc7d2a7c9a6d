"""Pages of open items: list, one item with its places, closing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_POST

from memoryhub.disk.files import FileError
from memoryhub.formats.base import FormatError
from memoryhub.journal.models import Operation, Workspace
from memoryhub.people.policy import workspace_or_404
from memoryhub.sync.edit.edits import Conflict
from memoryhub.web.kit.frame import shell_of
from memoryhub.web.kit.http import (
    HtmxRequest,
    page_or_partial,
    redirect_with_query,
)
from memoryhub.web.kit.links import addresses_of
from memoryhub.web.kit.listing import names_known
from memoryhub.web.kit.responses import conflict_page, done, refused
from memoryhub.web.open_items.presenters import (
    OpenItemQuery,
    facet_links,
    item_rows,
    order_links,
    place_rows,
)
from memoryhub.web.topics.forms import author_of, line
from snapshots.models import OpenItem
from snapshots.queries.open_items import (
    PAGE_SIZE,
    Wanted,
    facets_of,
    places_of,
    selected,
    work_by_code,
)
from snapshots.rules.carried_over import Item, Statement
from snapshots.services.open_items import close_item, reopen_item
from topics.services.topics import new_key


@require_GET
def open_items(request: HtmxRequest, slug: str) -> HttpResponse:
    """List the open items of all files, repeats folded into one."""
    workspace = workspace_or_404(slug)
    query = OpenItemQuery.of(request, known=names_known(workspace))
    shell = shell_of(workspace, [(gettext("Open items"), request.path)])
    now = shell.clock.now
    found = selected(workspace, query.wanted(workspace), now, query.order)
    start = (max(query.page, 1) - 1) * PAGE_SIZE
    every = selected(workspace, Wanted(state="", grade=query.grade), now)
    context = {
        "shell": shell,
        "page": "open-items",
        "title": gettext("Open items"),
        "query": query,
        "total": len(found),
        "rows": item_rows(found[start : start + PAGE_SIZE], shell, request.path),
        "next": query.address(page=max(query.page, 1) + 1)
        if start + PAGE_SIZE < len(found)
        else "",
        "facets": facet_links(
            facets_of(found, now), query, Counter(w.state for w in every), workspace
        ),
        "orders": order_links(query),
        "key": new_key(),
    }
    return page_or_partial(
        request, "open_items/open_item_list.html", "open_items/_rows.html", context
    )


@require_GET
def open_item(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Show an item in full: age, places in files, and the form to close it."""
    workspace = workspace_or_404(slug)
    work = _work_or_404(workspace, code)
    addresses = addresses_of(slug)
    if work.code != code:
        return redirect_with_query(request, addresses.open_item(work.code))
    shell = shell_of(
        workspace, [(gettext("Open items"), addresses.open_items), ("", "")]
    )
    (row,) = item_rows([work], shell, request.path) or (None,)
    if row is None:
        raise Http404
    crumbs = [(gettext("Open items"), addresses.open_items), (row.text[:80], "")]
    context = {
        "shell": shell_of(workspace, crumbs),
        "page": "open-items",
        "title": f"{row.text[:80]} · {gettext('Open items')}",
        "row": row,
        "text": work.text,
        "graded": _row_of(work.newest),
        "is_done": work.is_done,
        "can_reopen": work.can_reopen,
        "places": place_rows(places_of(work), shell),
        "key": new_key(),
    }
    return render(request, "open_items/open_item_detail.html", context)


@require_POST
def close_open_item(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Tick an item off in the file that states it last; 409 on a conflict."""
    workspace = workspace_or_404(slug)
    row = _row_of(_work_or_404(workspace, code).newest)
    reason = line(request.POST, "reason", size=500)
    author = author_of(request, workspace)
    close = partial(close_item, workspace, row, reason, author)
    return _written(request, workspace, close, gettext("Open item closed"))


@require_POST
def reopen_open_item(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Take the mark from the line that reports an item as done; 409 on a conflict."""
    workspace = workspace_or_404(slug)
    item = _work_or_404(workspace, code)
    row = _row_of(item.reopened)
    reopen = partial(reopen_item, workspace, row, author_of(request, workspace))
    return _written(request, workspace, reopen, gettext("Open item opened again"))


def _written(
    request: HttpRequest,
    workspace: Workspace,
    write: Callable[[], Operation],
    message: str,
) -> HttpResponse:
    back = addresses_of(workspace.slug).open_items
    try:
        operation = write()
    except Conflict as conflict:
        return conflict_page(request, workspace, conflict, back=back)
    except (FormatError, FileError) as error:
        return refused(request, error, back)
    return done(request, workspace, operation, message, back)


def _row_of(statement: Statement) -> OpenItem:
    return OpenItem.everything.select_related("file").get(pk=statement.id)


def _work_or_404(workspace: Workspace, code: str) -> Item:
    found = work_by_code(workspace, code)
    if found is None:
        raise Http404
    return found
