"""Addresses of handoffs, below their workspace's."""

from __future__ import annotations

from django.urls import path

from memoryhub.handoffs import views_figures

urlpatterns = [
    path("handoffs/figures/", views_figures.handoff_figures, name="handoff-figures"),
]
