"""Every address of the hub."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, include, path

from memoryhub import views
from memoryhub.api import reference
from memoryhub.api.application import api
from memoryhub.handoffs.views import hub

handler500 = "memoryhub.views.failed"

urlpatterns: list[URLPattern | URLResolver] = [
    path("", views.home, name="home"),
    path("", include("memoryhub.people.urls")),
    path("handoffs/", hub.hub_board, name="hub-handoffs"),
    path("handoffs/news/", hub.hub_news, name="hub-handoffs-news"),
    path("healthz", views.healthz, name="healthz"),
    path("api/v1/docs", reference.docs, name="api-docs"),
    path("api/v1/", api.urls),
    path("", include("memoryhub.imports.urls")),
    path("w/<str:slug>/", include("memoryhub.timeline.urls")),
    path("w/<str:slug>/", include("memoryhub.handoffs.urls")),
    path("w/<str:slug>/", include("memoryhub.workspaces.urls")),
    path("w/<str:slug>/", include("memoryhub.forgetting.urls")),
    path("w/<str:slug>/", include("memoryhub.exports.urls")),
    path("w/<str:slug>/", include("memoryhub.search.urls")),
    path("w/<str:slug>/", include("snapshots.urls")),
    path("w/<str:slug>/", include("topics.urls")),
]
