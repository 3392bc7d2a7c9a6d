"""The addresses of the API, loaded when the first of them is asked."""

from __future__ import annotations

from memoryhub.api.application import api

urlpatterns, *_ = api.urls
