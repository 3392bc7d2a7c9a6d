"""Addresses of the export preview, below their workspace's."""

from __future__ import annotations

from django.urls import path

from memoryhub.exports import views

urlpatterns = [
    path("export/", views.export, name="export"),
    path("export/download/", views.download, name="export_download"),
]
