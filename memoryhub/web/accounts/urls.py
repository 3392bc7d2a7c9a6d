"""Addresses of accounts: our own pages, and those of allauth that a team needs.

There is no sign-up: `account_signup` only says so.
"""

from __future__ import annotations

from allauth.account import views as account
from allauth.mfa.base import views as second_factor
from allauth.mfa.recovery_codes import views as recovery_codes
from allauth.mfa.totp import views as totp
from allauth.mfa.webauthn import views as webauthn
from allauth.socialaccount import views as provider
from allauth.socialaccount.providers.openid_connect import views as openid
from django.contrib.auth.decorators import login_not_required
from django.urls import path, re_path

from memoryhub.web.accounts import pages

_ACCOUNT = [
    path("login/", account.login, name="account_login"),
    path("logout/", account.logout, name="account_logout"),
    path("inactive/", account.account_inactive, name="account_inactive"),
    path("signup/", account.signup, name="account_signup"),
    path("confirm/", account.reauthenticate, name="account_reauthenticate"),
    path(
        "email/sent/",
        account.email_verification_sent,
        name="account_email_verification_sent",
    ),
    re_path(
        r"^email/(?P<key>[-:\w]+)/$",
        account.confirm_email,
        name="account_confirm_email",
    ),
    path("password/", account.password_change, name="account_change_password"),
    path("password/set/", account.password_set, name="account_set_password"),
    path("password/reset/", account.password_reset, name="account_reset_password"),
    path(
        "password/reset/sent/",
        account.password_reset_done,
        name="account_reset_password_done",
    ),
    path(
        "password/reset/done/",
        account.password_reset_from_key_done,
        name="account_reset_password_from_key_done",
    ),
    re_path(
        r"^password/reset/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$",
        account.password_reset_from_key,
        name="account_reset_password_from_key",
    ),
]

_SECOND_FACTORS = [
    path("second-factor/", pages.second_factor, name="mfa_index"),
    path("second-factor/enter/", second_factor.authenticate, name="mfa_authenticate"),
    path(
        "second-factor/confirm/",
        second_factor.reauthenticate,
        name="mfa_reauthenticate",
    ),
    path("second-factor/app/", totp.activate_totp, name="mfa_activate_totp"),
    path("second-factor/app/remove/", totp.deactivate_totp, name="mfa_deactivate_totp"),
    path(
        "second-factor/codes/",
        recovery_codes.view_recovery_codes,
        name="mfa_view_recovery_codes",
    ),
    path(
        "second-factor/codes/new/",
        recovery_codes.generate_recovery_codes,
        name="mfa_generate_recovery_codes",
    ),
    path(
        "second-factor/codes/download/",
        recovery_codes.download_recovery_codes,
        name="mfa_download_recovery_codes",
    ),
    path("passkeys/", pages.second_factor, name="mfa_list_webauthn"),
    path("passkeys/add/", webauthn.add_webauthn, name="mfa_add_webauthn"),
    path("passkeys/login/", pages.passkey_login, name="mfa_login_webauthn"),
    path(
        "passkeys/confirm/",
        webauthn.reauthenticate_webauthn,
        name="mfa_reauthenticate_webauthn",
    ),
    path("passkeys/<int:pk>/", webauthn.edit_webauthn, name="mfa_edit_webauthn"),
    path(
        "passkeys/<int:pk>/remove/",
        webauthn.remove_webauthn,
        name="mfa_remove_webauthn",
    ),
]

_PROVIDER = [
    path(
        "provider/cancelled/",
        provider.login_cancelled,
        name="socialaccount_login_cancelled",
    ),
    path(
        "provider/error/",
        login_not_required(provider.login_error),
        name="socialaccount_login_error",
    ),
    path("provider/join/", provider.signup, name="socialaccount_signup"),
    path("provider/", provider.connections, name="socialaccount_connections"),
    path(
        "oidc/<str:provider_id>/login/",
        pages.provider_login,
        name="openid_connect_login",
    ),
    path(
        "oidc/<str:provider_id>/login/callback/",
        openid.callback,
        name="openid_connect_callback",
    ),
]

urlpatterns = [
    *_ACCOUNT,
    *_SECOND_FACTORS,
    *_PROVIDER,
    path("join/<str:secret>/", pages.join, name="join"),
    path("name/", pages.change_name, name="change-name"),
    path("email/", pages.change_email, name="account_email"),
    path("sessions/end/", pages.end_session, name="end-session"),
    path("people/", pages.people, name="people"),
    path("people/invite/", pages.invite, name="invite"),
    path(
        "people/invitations/<int:number>/revoke/",
        pages.revoke_invitation,
        name="revoke-invitation",
    ),
    path("people/<int:number>/", pages.person, name="person"),
    path(
        "people/<int:number>/deactivate/",
        pages.deactivate_person,
        name="deactivate-person",
    ),
    path("people/<int:number>/<str:act>/", pages.change_person, name="change-person"),
]
