"""Addresses of A2A."""

from __future__ import annotations

from django.urls import path

from memoryhub.a2a import views

urlpatterns = [
    path("<slug:slug>/<str:agent>/", views.rpc, name="a2a"),
    path(
        "<slug:slug>/<str:agent>/.well-known/agent-card.json",
        views.card,
        name="a2a-card",
    ),
]
