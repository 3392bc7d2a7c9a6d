"""Addresses of files, problems and imports, below their workspace's."""

from __future__ import annotations

from django.urls import path

from memoryhub.workspaces.views import files, health, runs, settings, undo

urlpatterns = [
    path("files/", files.files, name="files"),
    path("files/<anypath:path>", files.file, name="file"),
    path("restore/<anypath:path>", files.restore, name="restore"),
    path("undo/<str:key>/", undo.undo_view, name="undo"),
    path("health/", health.health, name="health"),
    path("health/repoint/", health.repoint, name="repoint"),
    path("health/breaker/", health.clear_breaker, name="clear_breaker"),
    path("health/clear/", health.clear_problem, name="clear_problem"),
    path("problems/", health.problems, name="problems"),
    path("settings/", settings.settings, name="settings"),
    path("move/", settings.move, name="workspace_move"),
    path("delete/", settings.delete, name="workspace_delete"),
    path("imports/", runs.imports, name="imports"),
    path("imports/<int:number>/", runs.run, name="run"),
]
