"""Forms of the review queue: decisions, conflict choices, rules, policies."""

from __future__ import annotations

from typing import Any

from django import forms
from django.http import HttpRequest
from django.utils.translation import gettext, gettext_lazy

from memoryhub.claims.patterns import BadPath, normal_path
from memoryhub.people.policy import actor_of
from memoryhub.reviews.models import ReviewRule
from memoryhub.reviews.rules import MOST, RuleParts
from memoryhub.reviews.services import REASON, Decision
from memoryhub.web.kit.http import whole_number
from memoryhub.web.topics.forms import line

#: Cards that one click accepts.
_AT_ONCE = 100


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
