"""Addresses of the timeline, below its workspace's."""

from __future__ import annotations

from django.urls import path

from memoryhub.timeline import views

urlpatterns = [path("timeline/", views.timeline, name="timeline")]
