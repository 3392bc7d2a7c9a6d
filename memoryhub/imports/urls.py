"""Addresses of the import wizard."""

from __future__ import annotations

from django.urls import path

from memoryhub.imports import views

urlpatterns = [
    path("imports/new/", views.new, name="import_new"),
    path("imports/<int:pk>/", views.job, name="import"),
    path("imports/<int:pk>/start/", views.start, name="import_start"),
    path("imports/<int:pk>/give-up/", views.give_up, name="import_give_up"),
    path("w/<str:slug>/imports/new/", views.new_in, name="import_new_in"),
    path("w/<str:slug>/imports/again/", views.again, name="import_again"),
]
