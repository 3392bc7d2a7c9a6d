"""Addresses of what is a person's own."""

from __future__ import annotations

from django.urls import path

from memoryhub.people.views import preferences, saved_views, signing, tokens

urlpatterns = [
    path("open/", signing.open_link, name="open"),
    path("me/", preferences.me, name="me"),
    path("me/sign-out/", signing.sign_out, name="sign-out"),
    path("w/<str:slug>/views/", saved_views.save, name="save-view"),
    path(
        "w/<str:slug>/views/<int:view>/delete/",
        saved_views.delete,
        name="delete-view",
    ),
    path("w/<str:slug>/tokens/", tokens.tokens, name="tokens"),
    path("w/<str:slug>/tokens/revoke/", tokens.revoke, name="revoke-token"),
]
