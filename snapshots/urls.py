"""Addresses of snapshots, below their workspace's."""

from __future__ import annotations

from django.urls import path

from snapshots import views

urlpatterns = [
    path("snapshots/<str:code>.md", views.snapshot_text, name="snapshot-text"),
    path("snapshots/<str:code>/", views.snapshot, name="snapshot"),
    path("snapshots/<str:code>/reviewed/", views.review, name="snapshot-reviewed"),
]
