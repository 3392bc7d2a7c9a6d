"""Addresses of handoffs, below their workspace's."""

from __future__ import annotations

from django.urls import path

from memoryhub.handoffs.views.acting import act_on_handoff, change_handoff
from memoryhub.handoffs.views.board import (
    handoff_as_text,
    handoff_board,
    handoff_detail,
)
from memoryhub.handoffs.views.figures import handoff_figures
from memoryhub.handoffs.views.news import board_news, handoff_news
from memoryhub.handoffs.views.sending import new_handoff

urlpatterns = [
    path("handoffs/", handoff_board, name="handoffs"),
    path("handoffs/new/", new_handoff, name="handoff-new"),
    path("handoffs/figures/", handoff_figures, name="handoff-figures"),
    path("handoffs/news/", board_news, name="handoffs-news"),
    path("handoffs/<str:name>.md", handoff_as_text, name="handoff-text"),
    path("handoffs/<str:name>/", handoff_detail, name="handoff"),
    path("handoffs/<str:name>/news/", handoff_news, name="handoff-news"),
    path("handoffs/<str:name>/change/", change_handoff, name="handoff-change"),
    path("handoffs/<str:name>/<str:act>/", act_on_handoff, name="handoff-act"),
]
