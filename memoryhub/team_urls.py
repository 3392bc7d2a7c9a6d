"""Every address of a team's hub: those of a hub, and accounts."""

from __future__ import annotations

from django.urls import include, path

from memoryhub import urls

handler403 = urls.handler403
handler404, handler500 = urls.handler404, urls.handler500

urlpatterns = [
    *urls.urlpatterns,
    path("accounts/", include("memoryhub.web.accounts.urls")),
]
