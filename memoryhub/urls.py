"""Every address of the hub."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, include, path

from memoryhub import views
from memoryhub.api import reference

handler403 = "memoryhub.views.forbidden"
handler404 = "memoryhub.views.missing"
#: allauth's, for limits of attempts.
handler429 = "memoryhub.views.too_many"
handler500 = "memoryhub.views.failed"

urlpatterns: list[URLPattern | URLResolver] = [
    path("", views.home, name="home"),
    path("healthz", views.healthz, name="healthz"),
    path("readyz", views.readyz, name="readyz"),
    path("api/v1/docs", reference.docs, name="api-docs"),
    # By its name: it is loaded when it is asked, which lets all else start sooner.
    path("api/v1/", ("memoryhub.api.urls", "ninja", "api")),
    path("api/a2a/", include(("memoryhub.a2a.urls", "a2a"))),
    path("", include("memoryhub.web.urls")),
]
