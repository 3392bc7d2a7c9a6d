"""The address of the person's own page."""

from __future__ import annotations

from django.urls import path

from memoryhub.people import views

urlpatterns = [path("me/", views.me, name="me")]
