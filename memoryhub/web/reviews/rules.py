"""Pages of rules "never again", and of the policies; both belong to the settings."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST

from memoryhub.disk.files import FileError
from memoryhub.formats.base import FormatError
from memoryhub.journal.models import Workspace
from memoryhub.people.policy import actor_of, workspace_or_404
from memoryhub.reviews.models import ReviewRule
from memoryhub.reviews.queries import card_of
from memoryhub.reviews.reverting import revert_of
from memoryhub.reviews.rules import remove_rule, save_rule, set_policies
from memoryhub.web.kit.frame import shell_of
from memoryhub.web.kit.http import whole_number
from memoryhub.web.kit.links import addresses_of
from memoryhub.web.kit.listing import takes
from memoryhub.web.kit.responses import SeeOther, refusal_text
from memoryhub.web.reviews.forms import PolicyForm, RuleForm


@require_http_methods(["GET", "HEAD", "POST"])
@takes("card")
def new_rule(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the form of a rule, filled in from a card, or make the rule."""
    workspace = workspace_or_404(slug)
    if request.method != "POST":
        return _page(
            request, workspace, RuleForm(initial=_from_card(request, workspace))
        )
    return _saved(request, workspace, None)


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
    return _saved(request, workspace, rule)


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


def _saved(
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
