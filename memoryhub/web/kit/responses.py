"""Responses: done with undo, refused, conflict with both sides, choice of several."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_POST

from memoryhub.disk.files import FileError
from memoryhub.formats.base import FormatError
from memoryhub.formats.text import merging
from memoryhub.formats.text.diffing import Hunk, diff_lines, hunks, split_text
from memoryhub.formats.text.merging import Part, chosen, clashes_in, merge
from memoryhub.handoffs.services.memory import Remembered, left_behind
from memoryhub.journal.models import Operation, Workspace
from memoryhub.people.policy import actor_of, check_right, workspace_or_404
from memoryhub.people.rights import Right
from memoryhub.sync.edit.editing import undo
from memoryhub.sync.edit.edits import Conflict, value_text
from memoryhub.web.kit.clashes import MOST_CLASHES, Shown, shown_clash
from memoryhub.web.kit.frame import Crumb, Shell, shell_of
from memoryhub.web.kit.labels import problem_text
from memoryhub.web.kit.links import addresses_of

_REFUSALS: dict[str, Promise] = {
    "item-empty": gettext_lazy("The text is empty."),
    "item-has-newline": gettext_lazy("Must be one line."),
    "value-is-empty": gettext_lazy("The text is empty."),
    "value-has-newline": gettext_lazy("Must be one line."),
    "item-not-there": gettext_lazy("No longer in the file."),
    "item-not-ticked": gettext_lazy("A line reports it as done: change it there."),
    "item-in-table": gettext_lazy(
        "It is in a table, where no mark can be added: close it in the file."
    ),
    "item-read-only": gettext_lazy(
        "Another program keeps this file: change the item there."
    ),
    "addition-lost": gettext_lazy(
        "Nothing was written: a code fence or a block that the file leaves open would"
        " hide it. Close it first."
    ),
    "status-breaks-sections": gettext_lazy(
        "A line of it would begin another section of the file."
    ),
    "topic-name": gettext_lazy("No file can have this name."),
    "text-not-encodable": gettext_lazy(
        "The file's encoding cannot represent this text."
    ),
    "json-invalid": gettext_lazy("The session map is not valid JSON; mend it first."),
    "target-not-allowed": gettext_lazy("No pointer can name this path."),
    "version-damaged": gettext_lazy("The hub's copy of this version is damaged."),
    "version-gone": gettext_lazy("This version was forgotten and no longer exists."),
    "review-handled": gettext_lazy("Somebody has decided on this change already."),
    "review-grown": gettext_lazy(
        "The change has grown since you saw it: look at it again."
    ),
    "review-second": gettext_lazy(
        "You have accepted it; a second person has to accept it too."
    ),
    "review-renamed": gettext_lazy("Only the file's name changed: rename it on disk."),
    "review-file-gone": gettext_lazy(
        "The file was deleted since: restore it on its page first."
    ),
    "review-conflict": gettext_lazy(
        "Lines of the change were changed again since: choose what stays."
    ),
    "rules-too-many": gettext_lazy("There are too many rules: remove some first."),
    "row-unknown": gettext_lazy("It no longer exists."),
    "comment-empty": gettext_lazy("Write a comment first."),
    "comment-long": gettext_lazy("A comment has at most 10,000 characters."),
    "line-unknown": gettext_lazy("The file has no such line."),
    "threads-too-many": gettext_lazy("Too many comments are open: resolve some first."),
    "replies-too-many": gettext_lazy("The thread is full: open another one."),
    "no-comments": gettext_lazy("No comment on this file is open."),
    "verb-unknown": gettext_lazy("This cannot be undone."),
}


class SeeOther(HttpResponseRedirect):
    """Redirect (303) to the page with the result of a change."""

    status_code = 303


def done(
    request: HttpRequest,
    workspace: Workspace,
    operation: Operation,
    text: str,
    fallback: str,
) -> HttpResponse:
    """Add a success message with undo and redirect to the next page."""
    say_done(request, workspace, operation, text)
    return SeeOther(back_to(request, fallback))


def answer_change(
    request: HttpRequest,
    workspace: Workspace,
    change: Callable[[], Operation],
    text: str,
    home: str,
    *,
    back: str = "",
) -> HttpResponse:
    """Run a change and redirect to `home` with its undo; 409 on a conflict.

    The conflict's page leads to `back`, else to `home`.
    """
    try:
        operation = change()
    except Conflict as conflict:
        return conflict_page(request, workspace, conflict, back=back or home)
    except (FormatError, FileError) as error:
        return refused(request, error, home)
    return done(request, workspace, operation, text, home)


def say_done(
    request: HttpRequest, workspace: Workspace, operation: Operation, text: str
) -> None:
    """Add the success message of a change, with its undo address."""
    if operation.state == Operation.State.STAGED:
        text = gettext("%(text)s. Not exported yet") % {"text": text}
    way_back = addresses_of(workspace.slug).undo(operation.key)
    messages.success(request, text, extra_tags=way_back)


def back_to(request: HttpRequest, fallback: str) -> str:
    """Return the page of this hub that ``next`` names, else the fallback."""
    wanted = request.POST.get("next") or request.GET.get("next", "")
    host = request.get_host()
    if wanted.startswith("/") and url_has_allowed_host_and_scheme(wanted, {host}):
        return wanted
    return fallback


def refused(
    request: HttpRequest, error: FormatError | FileError, fallback: str
) -> HttpResponse:
    """Add the reason for a refusal as a message and redirect back."""
    messages.error(request, refusal_text(error))
    return SeeOther(back_to(request, fallback))


def refusal_text(error: FormatError | FileError) -> str:
    """Return the reason why a file cannot take a change."""
    if isinstance(error, FormatError):
        words = _REFUSALS.get(error.code) or problem_text(error.code, error.parameters)
        return f"{str(words)[:1].upper()}{str(words)[1:]}"
    return gettext("The file cannot be written: %(reason)s") % {"reason": str(error)}


def conflict_page(
    request: HttpRequest,
    workspace: Workspace,
    conflict: Conflict,
    *,
    crumbs: tuple[Crumb, ...] = (),
    back: str = "",
) -> HttpResponse:
    """Return 409 with the base of a change and the file's current text."""
    addresses = addresses_of(workspace.slug)
    context = {
        "shell": shell_of(workspace, crumbs),
        "title": gettext("Changed meanwhile"),
        "conflict": ShownConflict(conflict),
        "file_url": addresses.file(conflict.path),
        "back": back or addresses.base,
    }
    return render(request, "components/conflict_page.html", context, status=409)


@dataclass(frozen=True)
class ShownConflict:
    """A change that was not made, with hunks of both sides; `yours` if it is a text.

    `choices` are those of the stretches that both sides changed, by their number; None
    where texts are not to be merged.
    """

    conflict: Conflict
    yours: str = ""
    choices: Mapping[int, merging.Choice] | None = None

    @property
    def path(self) -> str:
        return self.conflict.path

    @property
    def base(self) -> str:
        return value_text(self.conflict.base)

    @property
    def current(self) -> str:
        return value_text(self.conflict.current)

    @property
    def theirs(self) -> list[Hunk]:
        """Diff of the file since the edit was begun."""
        return _hunks(self.base, self.current)

    @property
    def mine(self) -> list[Hunk]:
        """Diff that the edit would make in the file now."""
        return _hunks(self.current, self.yours) if self.yours else []

    @property
    def own(self) -> list[Hunk]:
        """Diff of the edit since it was begun."""
        return _hunks(self.base, self.yours)

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        return merge(self.base, self.current, self.yours)

    @property
    def clashes(self) -> list[Shown]:
        """The stretches that both sides changed, to choose from; none if too many."""
        if self.choices is None:
            return []
        found = clashes_in(self.parts)
        total = len(found)
        sides = {"disk": gettext("In the file now"), "here": gettext("Your text")}
        options = {
            "disk": gettext("Keep the file’s"),
            "here": gettext("Take yours"),
            "both": gettext("Both, the left one first"),
            "other": gettext("Write another text"),
        }
        return [
            shown_clash(
                clash,
                gettext("Difference %(n)s of %(total)s") % {"n": n + 1, "total": total},
                sides,
                options,
                self.choices.get(n),
                (0, n),
            )
            for n, clash in enumerate(found)
            if total <= MOST_CLASHES
        ]

    @property
    def is_open(self) -> bool:
        """Whether a stretch that both sides changed has no choice."""
        made = self.choices or {}
        return any(n not in made for n in range(len(self.clashes)))

    @property
    def merged(self) -> str:
        """Both sides' changes; where nothing is chosen both texts, the file's first."""
        both, made = merging.Choice("both"), self.choices or {}
        found = range(len(clashes_in(self.parts)))
        return chosen(self.parts, [made.get(n, both) for n in found])


def _hunks(before: str, after: str) -> list[Hunk]:
    return hunks(diff_lines(split_text(before), split_text(after)))


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several rows of the same name in the files."""

    url: str
    title: str
    place: str
    when: str


def choose(
    request: HttpRequest, shell: Shell, page: str, name: str, choices: Iterable[Choice]
) -> HttpResponse:
    """Render a choice of rows of the same name: agents can give a name twice.

    Raises:
        Http404: Nothing has the name.
    """
    found = list(choices)
    if not found:
        raise Http404
    context = {"shell": shell, "page": page, "title": name, "choices": found}
    return render(request, "components/choose.html", context)


@require_POST
def undo_view(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """Undo an operation and redirect to the requesting page.

    404 for an unknown key, 409 on a conflict. Of other people's and agents' operations
    only a coordinator undoes any.
    """
    workspace = workspace_or_404(slug)
    operation = Operation.objects.filter(workspace=workspace, key=key).first()
    if operation is None:
        raise Http404
    if operation.actor != actor_of(request):
        check_right(Right.COORDINATE, slug)
    home = addresses_of(slug).timeline
    try:
        undo(workspace, operation, actor_of(request))
    except Conflict as conflict:
        return conflict_page(request, workspace, conflict, back=back_to(request, home))
    except (FormatError, FileError) as error:
        return refused(request, error, home)
    messages.success(request, gettext("Undone"))
    for left in left_behind(workspace, operation):
        messages.warning(request, _left_text(left))
    return SeeOther(back_to(request, home))


def _left_text(left: Remembered) -> str:
    """Return the warning about a memory update whose result was undone."""
    words = {"path": left.path}
    if left.staged:
        return (
            gettext("The next export removes its memory update from %(path)s") % words
        )
    text = gettext("Its memory update stays in %(path)s, which was changed since")
    return text % words
