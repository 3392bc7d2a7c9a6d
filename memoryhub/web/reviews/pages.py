"""Pages of the review queue: list, card, decisions, editor, rules, policies."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from memoryhub.claims.patterns import BadPath, normal_path
from memoryhub.disk.files import FileError
from memoryhub.formats.base import FormatError
from memoryhub.journal.models import Agent, Workspace
from memoryhub.people.policy import actor_of, workspace_or_404
from memoryhub.reviews import services
from memoryhub.reviews.models import ReviewCard, ReviewRule
from memoryhub.reviews.queries import (
    PAGE_SIZE,
    Wanted,
    card_of,
    cards_of,
    counts_by,
    neighbours,
)
from memoryhub.reviews.queries import card_page as cards_from
from memoryhub.reviews.reverting import ReviewRefused, path_now, revert_of
from memoryhub.reviews.rules import (
    MOST,
    RuleParts,
    remove_rule,
    save_rule,
    set_policies,
)
from memoryhub.reviews.services import REASON, Decision
from memoryhub.sync.edit.edits import Conflict
from memoryhub.sync.edit.writing import found_now
from memoryhub.web.kit.clashes import numbered_choices
from memoryhub.web.kit.frame import Shell, shell_of
from memoryhub.web.kit.http import HtmxRequest, page_or_partial, whole_number
from memoryhub.web.kit.links import addresses_of
from memoryhub.web.kit.listing import takes
from memoryhub.web.kit.responses import (
    SeeOther,
    ShownConflict,
    back_to,
    conflict_page,
    done,
    refusal_text,
    refused,
)
from memoryhub.web.reviews.rows import (
    ReviewQuery,
    card_page,
    card_rows,
    facet_links,
    shown_clashes,
)
from memoryhub.web.topics.forms import conflict_in, line, text_in

#: Cards that one click accepts.
_AT_ONCE = 100
#: Cards in the list beside an open one; longest text that is edited.
_BESIDE, _LONGEST = 50, 2_000_000


def decision_in(request: HttpRequest) -> Decision:
    """Return who decides, why, and up to which change they saw."""
    seen = whole_number(request.POST.get("seen", ""), digits=18)
    return Decision(actor_of(request), line(request.POST, "reason", size=REASON), seen)


def shown_in(request: HttpRequest) -> dict[int, int]:
    """Return the cards of a list with the last change that it showed of each."""
    pairs = (value.partition("-") for value in request.POST.getlist("card"))
    found = {
        whole_number(pk, digits=18): whole_number(seq, digits=18)
        for pk, _, seq in list(pairs)[:_AT_ONCE]
    }
    return {pk: seq for pk, seq in found.items() if pk is not None and seq is not None}


class RuleForm(forms.Form):
    """A rule "never again"."""

    pattern = forms.CharField(
        max_length=300,
        label=gettext_lazy("Files"),
        help_text=gettext_lazy(
            "A path or pattern: * within a name, ** for any folders. ** alone is every"
            " file."
        ),
    )
    section = forms.CharField(
        max_length=200,
        required=False,
        label=gettext_lazy("Section"),
        help_text=gettext_lazy(
            "The heading above an added line; * is any text. Empty: any section."
        ),
    )
    text = forms.CharField(
        max_length=300,
        required=False,
        label=gettext_lazy("Text"),
        help_text=gettext_lazy(
            "Words that an added line contains; * is any text between them, case does"
            " not count. Empty: any text."
        ),
    )
    reason = forms.CharField(
        max_length=300,
        required=False,
        label=gettext_lazy("Reason"),
        help_text=gettext_lazy("For the people who see its proposals."),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.label_suffix = ""
        for field in ("pattern", "section", "text"):
            self.fields[field].widget.attrs |= {"class": "mono", "spellcheck": "false"}

    @classmethod
    def of(cls, rule: ReviewRule) -> RuleForm:
        """Return the form that changes a rule."""
        return cls(initial={name: getattr(rule, name) for name in RuleParts._fields})

    def clean_pattern(self) -> str:
        """Return the pattern in its normal form.

        Raises:
            ValidationError: No file can match it.
        """
        return _pattern(self.cleaned_data["pattern"])

    @property
    def parts(self) -> RuleParts:
        """The parts of a valid form."""
        return RuleParts(**{n: self.cleaned_data[n] for n in RuleParts._fields})


class PolicyForm(forms.Form):
    """How many people review the changes of a file, by pattern."""

    policies = forms.CharField(
        required=False,
        max_length=40_000,
        widget=forms.Textarea({"rows": 4, "spellcheck": "false", "class": "mono"}),
        label=gettext_lazy("People who review a change"),
        help_text=gettext_lazy(
            "One pattern per line and a number: 0 for no review, 1, or 2 for two"
            " different people, such as memory/** 0 or MEMORY.md 2. The first match"
            " counts; without one, 1. Nothing is held back: files are written already."
        ),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.label_suffix = ""

    @classmethod
    def of(cls, policies: list[tuple[str, int]]) -> PolicyForm:
        """Return the form with the present policies."""
        said = "\n".join(f"{pattern} {people}" for pattern, people in policies)
        return cls(initial={"policies": said})

    def clean_policies(self) -> list[tuple[str, int]]:
        """Return patterns with numbers.

        Raises:
            ValidationError: A line has no pattern and number; there are too many.
        """
        lines = [one.strip() for one in self.cleaned_data["policies"].splitlines()]
        found = []
        for text in filter(None, lines):
            pattern, _, people = text.rpartition(" ")
            if people not in ("0", "1", "2") or not pattern.strip():
                words = {"line": text[:80]}
                error = gettext("“%(line)s” is not a pattern and 0, 1 or 2.") % words
                raise forms.ValidationError(error)
            found.append((_pattern(pattern), int(people)))
        if len(found) > MOST:
            raise forms.ValidationError(gettext("Too long."))
        return found


def _pattern(text: str) -> str:
    try:
        return normal_path(text)
    except BadPath as error:
        raise forms.ValidationError(gettext("No file can match this.")) from error


@require_http_methods(["GET", "HEAD", "POST"])
@takes("card")
def new_rule(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the form of a rule, filled in from a card, or make the rule."""
    workspace = workspace_or_404(slug)
    if request.method != "POST":
        return _page(
            request, workspace, RuleForm(initial=_from_card(request, workspace))
        )
    return _rule_saved(request, workspace, None)


@require_http_methods(["GET", "HEAD", "POST"])
def change_rule(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Show a rule's form, or change the rule."""
    workspace = workspace_or_404(slug)
    rules = ReviewRule.objects.filter(workspace=workspace)
    rule = rules.filter(pk=number).first() if number < 2**63 else None
    if rule is None:
        raise Http404
    if request.method != "POST":
        return _page(request, workspace, RuleForm.of(rule), rule)
    return _rule_saved(request, workspace, rule)


@require_POST
def drop_rule(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Remove a rule."""
    if remove_rule(workspace_or_404(slug), min(number, 2**63 - 1)):
        messages.success(request, gettext("Rule removed"))
    return SeeOther(f"{addresses_of(slug).settings}#reviews")


@require_POST
def save_policies(request: HttpRequest, slug: str) -> HttpResponse:
    """Save how many people review which files."""
    workspace = workspace_or_404(slug)
    form = PolicyForm(request.POST)
    if form.is_valid():
        policies = form.cleaned_data["policies"]
        set_policies(workspace, policies, actor_of(request), timezone.now())
        messages.success(request, gettext("Settings saved"))
    else:
        messages.error(request, " ".join(map(str, form.errors["policies"])))
    return SeeOther(f"{addresses_of(slug).settings}#reviews")


def _from_card(request: HttpRequest, workspace: Workspace) -> dict[str, str]:
    """Return a form's first values from the card that a link names."""
    number = whole_number(request.GET.get("card", ""), digits=18)
    card = card_of(workspace, number) if number is not None else None
    if card is None:
        return {}
    values = {"pattern": card.path, "reason": card.reason}
    try:
        found = revert_of(workspace, card)
    except (FormatError, FileError):
        return values
    return values | {"text": found.excerpt.lstrip("-*+ ")[:200]}


def _rule_saved(
    request: HttpRequest, workspace: Workspace, rule: ReviewRule | None
) -> HttpResponse:
    form = RuleForm(request.POST)
    if form.is_valid():
        number = rule.pk if rule else None
        who = actor_of(request)
        try:
            save_rule(workspace, form.parts, who, timezone.now(), number)
        except FormatError as error:
            form.add_error("pattern", refusal_text(error))
        else:
            messages.success(request, gettext("Rule saved"))
            return SeeOther(f"{addresses_of(workspace.slug).settings}#reviews")
    return _page(request, workspace, form, rule)


def _page(
    request: HttpRequest,
    workspace: Workspace,
    form: RuleForm,
    rule: ReviewRule | None = None,
) -> HttpResponse:
    addresses = addresses_of(workspace.slug)
    title = gettext("Change the rule") if rule else gettext("Never again")
    crumbs = [(gettext("Settings"), f"{addresses.settings}#reviews"), (title, "")]
    context = {
        "shell": shell_of(workspace, crumbs),
        "page": "settings",
        "title": title,
        "form": form,
        "back": f"{addresses.settings}#reviews",
    }
    status = 422 if form.errors else 200
    return render(request, "reviews/rule_form.html", context, status=status)


@require_GET
@never_cache
def reviews(request: HtmxRequest, slug: str) -> HttpResponse:
    """List the cards, those to review first."""
    workspace = workspace_or_404(slug)
    known = {
        "agent": lambda name: Agent.objects.filter(
            workspace=workspace, name=name
        ).exists()
    }
    query = ReviewQuery.of(request, known=known)
    wanted = query.wanted
    found = cards_from(workspace, wanted, query.below or None)
    shell = shell_of(workspace, [(gettext("Review"), request.path)])
    facets = {name: counts_by(workspace, name, wanted) for name in ("agent", "path")}
    context = {
        "shell": shell,
        "page": "reviews",
        "title": gettext("Review"),
        "query": query,
        "waiting": len(shell.waiting.reviews),
        "staged": shell.waiting.staged + shell.waiting.conflicts,
        "rows": (rows := card_rows(found[:PAGE_SIZE], shell)),
        "revertible": [row["card"] for row in rows if row["can_revert"]],
        "next": query.address(below=found[PAGE_SIZE - 1].last_seq)
        if len(found) > PAGE_SIZE
        else "",
        "facets": facet_links(query, facets),
    }
    return page_or_partial(
        request, "reviews/review_list.html", "reviews/_rows.html", context
    )


@require_GET
@never_cache
@takes("all")
def review(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Show one card with its diff, next to the queue."""
    workspace = workspace_or_404(slug)
    card = _card_or_404(workspace, number)
    shell = _shell(workspace, card)
    everything = request.GET.get("all") == "1"
    queue = list(cards_of(workspace, Wanted())[:_BESIDE])
    context = {
        "shell": shell,
        "page": "reviews",
        "title": card.path,
        "one": card_page(card, shell, everything=everything),
        "rows": card_rows(queue, shell, current=card.pk),
        "everything": everything,
    }
    return render(request, "reviews/review_detail.html", context)


@require_POST
def accept(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Accept a card, and go on to the next one."""
    workspace = workspace_or_404(slug)
    card = _card_or_404(workspace, number)
    to = _next(workspace, card)
    try:
        handled = services.accept(card, decision_in(request)).card
    except ReviewRefused as error:
        return refused(request, error, addresses_of(slug).review(number))
    text = gettext("Accepted")
    if handled.is_open:
        text = gettext("Accepted; a second person has to accept it too")
    way_back = f"{addresses_of(slug).review(number)}reopen/"
    messages.success(request, text, extra_tags=way_back)
    return SeeOther(back_to(request, to))


@require_POST
def accept_shown(request: HttpRequest, slug: str) -> HttpResponse:
    """Accept the cards of a list, as far as nothing changed since it was shown."""
    workspace = workspace_or_404(slug)
    cards, number = _shown(request, workspace)
    n = len(services.accept_all(cards, decision_in(request)))
    text = ngettext("%(n)s change accepted", "%(n)s changes accepted", n) % {"n": n}
    messages.success(request, _with_left(text, number - n))
    return SeeOther(back_to(request, addresses_of(slug).reviews))


@require_POST
def revert_shown(request: HttpRequest, slug: str) -> HttpResponse:
    """Revert the cards of a list; those with a clash or a later change are left."""
    workspace = workspace_or_404(slug)
    (cards, number), decision = _shown(request, workspace), decision_in(request)
    found = services.revert_all(cards, decision)
    n, addresses = len(found), addresses_of(slug)
    text = ngettext("%(n)s change reverted", "%(n)s changes reverted", n) % {"n": n}
    wrote = any(one.operation for one in found)
    way_back = addresses.unrevert(decision.batch) if wrote else ""
    messages.success(request, _with_left(text, number - n), extra_tags=way_back)
    return SeeOther(back_to(request, addresses.reviews))


@require_POST
def unrevert_shown(request: HttpRequest, slug: str, batch: UUID) -> HttpResponse:
    """Undo the reverts of one `revert_shown`, except in files changed since then."""
    workspace = workspace_or_404(slug)
    n, left = services.undo_reverts(workspace, batch, actor_of(request))
    if not n + left:
        raise Http404
    text = ngettext("%(n)s revert undone", "%(n)s reverts undone", n) % {"n": n}
    messages.success(request, _with_left(text, left))
    return SeeOther(back_to(request, addresses_of(slug).reviews))


def _shown(request: HttpRequest, workspace: Workspace) -> tuple[list[ReviewCard], int]:
    """Return the cards of a list that are as it showed them, and how many it showed."""
    shown = shown_in(request)
    rows = ReviewCard.objects.filter(workspace=workspace, pk__in=shown)
    return [card for card in rows if card.last_seq == shown[card.pk]], len(shown)


def _with_left(text: str, left: int) -> str:
    if not left:
        return text
    more = ngettext("%(n)s is left", "%(n)s are left", left) % {"n": left}
    return gettext("%(text)s; %(more)s") % {"text": text, "more": more}


@require_POST
def revert(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Take a change back; 409 with both texts where lines were changed again."""
    workspace = workspace_or_404(slug)
    card = _card_or_404(workspace, number)
    home, to = addresses_of(slug).review(number), _next(workspace, card)
    choices = numbered_choices(request)
    seen = request.POST.get("disk")
    try:
        found = revert_of(workspace, card) if card.is_open else None
        if found and found.clashes and (seen != found.sha256 or len(choices) < len(
            found.clashes
        )):  # fmt: skip
            return _clash_page(request, workspace, card)
        handled = services.revert(card, decision_in(request), choices)
    except Conflict as conflict:
        return conflict_page(request, workspace, conflict, back=home)
    except (FormatError, FileError) as error:
        return refused(request, error, home)
    text = gettext("Reverted in %(path)s") % {"path": card.path}
    if handled.operation is None:
        messages.success(request, gettext("The file is as before already"))
        return SeeOther(back_to(request, to))
    return done(request, workspace, handled.operation, text, to)


@require_POST
def reopen(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Put an accepted card back into the queue."""
    workspace = workspace_or_404(slug)
    card = _card_or_404(workspace, number)
    if services.reopen(card):
        messages.success(request, gettext("Back in the queue"))
    return SeeOther(back_to(request, addresses_of(slug).review(number)))


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def edit(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Show the editor on the file's text of today, or write the edited text."""
    workspace = workspace_or_404(slug)
    card = _card_or_404(workspace, number)
    home = addresses_of(slug).review(number)
    try:
        if request.method != "POST":
            text = found_now(workspace, path_now(workspace, card)).text
            form = {"text": text, "base": text, "seen": card.last_seq}
            return _editor(request, workspace, card, form)
        return _saved(request, workspace, card)
    except (FormatError, FileError) as error:
        return refused(request, error, home)


def _saved(
    request: HttpRequest, workspace: Workspace, card: ReviewCard
) -> HttpResponse:
    text, base = (
        text_in(request.POST, name, size=_LONGEST) for name in ("text", "base")
    )
    to, decision = _next(workspace, card), decision_in(request)
    form: dict[str, Any] = {"text": text, "base": base, "reason": decision.reason}
    if both := conflict_in(request, card.path, text, base, size=_LONGEST):
        if both.is_open:
            form |= {"conflict": both, "is_open": True}
            return _editor(request, workspace, card, form, status=409)
        text, base = both.merged, both.current
    try:
        handled = services.edit(card, decision, text, base)
    except Conflict as conflict:
        both = ShownConflict(conflict, text, {})
        form |= {"text": both.merged, "base": both.current, "conflict": both}
        return _editor(request, workspace, card, form, status=409)
    except FormatError as error:
        if isinstance(error, ReviewRefused):
            raise
        form["error"] = refusal_text(error)
        return _editor(request, workspace, card, form, status=422)
    if handled.operation is None:
        messages.success(request, gettext("Accepted as it is"))
        return SeeOther(to)
    return done(request, workspace, handled.operation, gettext("Text saved"), to)


def _editor(
    request: HttpRequest,
    workspace: Workspace,
    card: ReviewCard,
    form: dict[str, Any],
    status: int = 200,
) -> HttpResponse:
    shell = _shell(workspace, card, gettext("Edit"))
    context = {
        "shell": shell,
        "page": "reviews",
        "title": gettext("Edit %(path)s") % {"path": card.path},
        "card": card,
        "form": {"seen": card.last_seq, **form},
        "url": shell.addresses.review(card.pk),
        "conflict": form.get("conflict"),
    }
    return render(request, "reviews/review_edit.html", context, status=status)


def _clash_page(
    request: HttpRequest, workspace: Workspace, card: ReviewCard
) -> HttpResponse:
    found, choices = revert_of(workspace, card), numbered_choices(request)
    shell = _shell(workspace, card, gettext("Revert"))
    context = {
        "shell": shell,
        "page": "reviews",
        "title": gettext("Revert in %(path)s") % {"path": found.path},
        "card": card,
        "url": shell.addresses.review(card.pk),
        "clashes": shown_clashes(found, choices),
        "disk": found.sha256,
        "reason": request.POST.get("reason", ""),
    }
    return render(request, "reviews/review_conflict.html", context, status=409)


def _shell(workspace: Workspace, card: ReviewCard, last: str = "") -> Shell:
    addresses = addresses_of(workspace.slug)
    crumbs = [
        (gettext("Review"), addresses.reviews),
        (card.path, addresses.review(card.pk)),
    ]
    return shell_of(workspace, [*crumbs, (last, "")] if last else crumbs)


def _next(workspace: Workspace, card: ReviewCard) -> str:
    """Return the page after a decision: the next card to review, else the list."""
    newer, older = neighbours(card)
    addresses = addresses_of(workspace.slug)
    following = older or newer
    return addresses.review(following) if following else addresses.reviews


def _card_or_404(workspace: Workspace, number: int) -> ReviewCard:
    card = card_of(workspace, number) if number < 2**63 else None
    if card is None:
        raise Http404
    return card
