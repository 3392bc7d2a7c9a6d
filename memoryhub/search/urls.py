"""Addresses of the search, below its workspace's."""

from __future__ import annotations

from django.urls import path

from memoryhub.search import views

urlpatterns = [
    path("search/", views.search_page, name="search"),
    path("palette", views.palette, name="palette"),
]
