"""Addresses of what is a person's own."""

from __future__ import annotations

from django.urls import path

from memoryhub.people.views import preferences as views
from memoryhub.people.views import saved_views as views_saved
from memoryhub.people.views import tokens as views_tokens

urlpatterns = [
    path("me/", views.me, name="me"),
    path("w/<str:slug>/views/", views_saved.save, name="save-view"),
    path(
        "w/<str:slug>/views/<int:view>/delete/",
        views_saved.delete,
        name="delete-view",
    ),
    path("w/<str:slug>/tokens/", views_tokens.tokens, name="tokens"),
    path("w/<str:slug>/tokens/revoke/", views_tokens.revoke, name="revoke-token"),
]
