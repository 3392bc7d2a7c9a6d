"""URLs of the API, imported when the first one is requested."""

from __future__ import annotations

from memoryhub.api.application import api

urlpatterns, *_ = api.urls
