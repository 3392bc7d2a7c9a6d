"""Forms of accounts: joining, name, e-mail, invitations."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from allauth.account.forms import LoginForm
from allauth.account.models import EmailAddress
from allauth.mfa.base.forms import AuthenticateForm, ReauthenticateForm
from allauth.mfa.totp.forms import ActivateTOTPForm
from django import forms
from django.contrib.auth.password_validation import validate_password
from django.core.validators import MaxLengthValidator
from django.utils.translation import gettext_lazy

from memoryhub.accounts.adapters import AccountAdapter
from memoryhub.accounts.services.invitations import Offer
from memoryhub.errors.base import ToolError
from memoryhub.journal.models import Workspace
from memoryhub.people.models import User
from memoryhub.people.rights import Role
from memoryhub.people.services.names import checked_shown_name


def _text(label: Any, autocomplete: str, **named: Any) -> forms.CharField:
    widget = forms.TextInput({"autocomplete": autocomplete, "spellcheck": "false"})
    return forms.CharField(label=label, max_length=80, widget=widget, **named)


def _email(**named: Any) -> forms.EmailField:
    return forms.EmailField(
        label=gettext_lazy("E-mail"),
        widget=forms.EmailInput({"autocomplete": "email"}),
        **named,
    )


def _check_email_free(email: str, person: User | None = None) -> str:
    """Return an e-mail address in lower case.

    Raises:
        ValidationError: another person has it.
    """
    email = email.lower()
    others = EmailAddress.objects.filter(email=email)
    named = User.objects.filter(username__iexact=email)
    if person is not None:
        others, named = others.exclude(user=person), named.exclude(pk=person.pk)
    if email and (others.exists() or named.exists()):
        raise forms.ValidationError(gettext_lazy("Another person has this address."))
    return email


def _check_name(name: str, person: User | None = None) -> str:
    """Return a name to show.

    Raises:
        ValidationError: it could be taken for another's.
    """
    try:
        return checked_shown_name(name, person)
    except ToolError as error:
        raise forms.ValidationError(
            gettext_lazy("It could be taken for another's name. Add a word or initial.")
        ) from error


#: Characters of an e-mail address; a user name is shorter.
_LONGEST_LOGIN = 254


class SignInForm(LoginForm):  # type: ignore[misc]
    """User name or e-mail address, and password."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        login = self.fields["login"]
        login.label = gettext_lazy("User name or e-mail")
        # SQLite compares no pattern of 50,000 bytes.
        login.validators.append(MaxLengthValidator(_LONGEST_LOGIN))
        login.widget.attrs |= {
            "autocomplete": "username",
            "autocapitalize": "none",
            "spellcheck": "false",
            "autofocus": True,
        }
        for field in self.fields.values():
            field.widget.attrs.pop("placeholder", None)
        self.fields["password"].help_text = ""


class FactorForm(AuthenticateForm):  # type: ignore[misc]
    """A code of the app, or a recovery code, while signing in."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.fields["code"].label = gettext_lazy("Code")


class FactorAgainForm(ReauthenticateForm):  # type: ignore[misc]
    """A code before something that changes the account."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.fields["code"].label = gettext_lazy("Code")


class AppForm(ActivateTOTPForm):  # type: ignore[misc]
    """The first code of a new app."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.fields["code"].label = gettext_lazy("Code")


class JoinForm(forms.Form):
    """A new account: who opens an invitation chooses its name and password."""

    username = _text(
        gettext_lazy("User name"),
        "username",
        help_text=gettext_lazy("Short, without blanks. The journal shows it for good."),
    )
    name = _text(gettext_lazy("Name"), "name", required=False)
    email = _email(required=False)
    password = forms.CharField(
        label=gettext_lazy("Password"),
        strip=False,
        widget=forms.PasswordInput({"autocomplete": "new-password"}),
        help_text=gettext_lazy("At least 10 characters."),
    )
    again = forms.CharField(
        label=gettext_lazy("Password again"),
        strip=False,
        widget=forms.PasswordInput({"autocomplete": "new-password"}),
    )

    def clean_username(self) -> str:
        """Return the user name in lower case; `ValidationError` if it is not free."""
        return AccountAdapter().clean_username(self.cleaned_data["username"].lower())

    def clean_name(self) -> str:
        """Return the name; `ValidationError` if it could be taken for another's."""
        return _check_name(self.cleaned_data["name"])

    def clean_email(self) -> str:
        """Return the e-mail address; `ValidationError` if another person has it."""
        return _check_email_free(self.cleaned_data["email"])

    def clean(self) -> dict[str, Any]:
        """Check the password against the policy and its repetition."""
        data = super().clean() or self.cleaned_data
        password = data.get("password")
        if password and data.get("again") != password:
            self.add_error("again", gettext_lazy("The passwords differ."))
        elif password:
            person = User(
                username=data.get("username", ""),
                name=data.get("name", ""),
                email=data.get("email", ""),
            )
            try:
                validate_password(password, person)
            except forms.ValidationError as error:
                self.add_error("password", error)
        return data


class NameForm(forms.ModelForm):  # type: ignore[type-arg]
    """The name that pages show."""

    name = _text(gettext_lazy("Name"), "name", required=False)

    class Meta:
        model = User
        fields = ["name"]

    def clean_name(self) -> str:
        """Return the name; `ValidationError` if it could be taken for another's."""
        return _check_name(self.cleaned_data["name"], self.instance)


class EmailForm(forms.Form):
    """A person's e-mail address; empty for none."""

    email = _email(required=False)

    def __init__(self, data: Any = None, *, person: User) -> None:
        super().__init__(data, initial={"email": person.email})
        self._person = person

    def clean_email(self) -> str:
        """Return the e-mail address; `ValidationError` if another person has it."""
        return _check_email_free(self.cleaned_data["email"], self._person)


class InviteForm(forms.Form):
    """An invitation: for whom, with which role, for how long."""

    name = _text(gettext_lazy("Name"), "off", required=False)
    email = _email(required=False)
    workspace = forms.ChoiceField(label=gettext_lazy("Workspace"), required=False)
    role = forms.TypedChoiceField(
        label=gettext_lazy("Role"),
        choices=Role.choices,
        coerce=lambda value: Role(int(value)),
        initial=Role.EDITOR,
    )
    hub_administrator = forms.BooleanField(
        label=gettext_lazy("Administrator of the hub"), required=False
    )
    days = forms.TypedChoiceField(
        label=gettext_lazy("Valid for"),
        choices=[
            (1, gettext_lazy("a day")),
            (7, gettext_lazy("a week")),
            (30, gettext_lazy("30 days")),
        ],
        coerce=int,
        initial=7,
    )

    def __init__(
        self, data: Any = None, *, workspaces: Iterable[Workspace], whole_hub: bool
    ) -> None:
        super().__init__(data)
        self._known = {workspace.slug: workspace for workspace in workspaces}
        named = [(slug, one.name) for slug, one in self._known.items()]
        none = [("", gettext_lazy("none yet"))] if whole_hub else []
        self.fields["workspace"].choices = [*none, *named]  # type: ignore[attr-defined]
        self.fields["workspace"].required = not whole_hub
        if not whole_hub:
            del self.fields["hub_administrator"]

    def offer(self) -> Offer:
        """Return the invitation's role and suggestions; for a valid form."""
        data = self.cleaned_data
        return Offer(
            self._known.get(data["workspace"]),
            data["role"],
            data.get("hub_administrator", False),
            data["name"],
            data["email"].lower(),
            data["days"],
        )
