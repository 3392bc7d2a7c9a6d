"""Addresses of files, problems and imports, below their workspace's."""

from __future__ import annotations

from django.urls import path

from memoryhub.workspaces.views import files as views
from memoryhub.workspaces.views import health as views_health
from memoryhub.workspaces.views import settings as views_settings
from memoryhub.workspaces.views.undo import undo_view

urlpatterns = [
    path("files/", views.files, name="files"),
    path("files/<anypath:path>", views.file, name="file"),
    path("restore/<anypath:path>", views.restore, name="restore"),
    path("undo/<str:key>/", undo_view, name="undo"),
    path("health/", views_health.health, name="health"),
    path("health/repoint/", views_health.repoint, name="repoint"),
    path("health/breaker/", views_health.clear_breaker, name="clear_breaker"),
    path("health/clear/", views_health.clear_problem, name="clear_problem"),
    path("problems/", views_health.problems, name="problems"),
    path("settings/", views_settings.settings, name="settings"),
    path("delete/", views_settings.delete, name="workspace_delete"),
    path("imports/", views.imports, name="imports"),
    path("imports/<int:number>/", views.run, name="run"),
]
