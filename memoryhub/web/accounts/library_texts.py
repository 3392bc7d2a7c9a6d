"""Texts of allauth that pages show: allauth's own Chinese lacks most of them."""

from __future__ import annotations

from django.utils.translation import gettext_noop

TEXTS = (
    # Fields and their placeholders.
    gettext_noop("Code"),
    gettext_noop("Current Password"),
    gettext_noop("Email"),
    gettext_noop("Email (optional)"),
    gettext_noop("Email address"),
    gettext_noop("Forgot your password?"),
    gettext_noop("New Password"),
    gettext_noop("New Password (again)"),
    gettext_noop("Password"),
    gettext_noop("Password (again)"),
    gettext_noop("Username"),
    # Errors.
    gettext_noop(
        "An account already exists with this email address. Please sign in to that"
        " account first, then connect your %s account."
    ),
    gettext_noop("A user is already registered with this email address."),
    gettext_noop("Be patient, you are sending too many requests."),
    gettext_noop("Incorrect code."),
    gettext_noop("Incorrect password."),
    gettext_noop("Invalid login."),
    gettext_noop("Invalid or expired key."),
    gettext_noop("Invalid token."),
    gettext_noop("Please type your current password."),
    gettext_noop("The email address and/or password you specified are not correct."),
    gettext_noop("The new value must be different from the current one."),
    gettext_noop("The password reset token was invalid."),
    gettext_noop("The username and/or password you specified are not correct."),
    gettext_noop("This account is currently inactive."),
    gettext_noop("Too many failed login attempts. Try again later."),
    gettext_noop("You cannot disconnect your last remaining third-party account."),
    gettext_noop("You must type the same password each time."),
    gettext_noop("Your account has no password set up."),
    gettext_noop("Your account has no verified email address."),
    gettext_noop(
        "The third-party account is already connected to a different account."
    ),
    gettext_noop(
        "You cannot generate recovery codes without having two-factor"
        " authentication enabled."
    ),
)
