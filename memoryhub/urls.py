"""Every address of the hub."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, include, path

from memoryhub import views
from memoryhub.api import reference
from memoryhub.api.application import api

handler500 = "memoryhub.views.failed"

urlpatterns: list[URLPattern | URLResolver] = [
    path("", views.home, name="home"),
    path("healthz", views.healthz, name="healthz"),
    path("api/v1/docs", reference.docs, name="api-docs"),
    path("api/v1/", api.urls),
    path("", include("memoryhub.web.urls")),
]
