"""Addresses of handoffs, below their workspace's."""

from __future__ import annotations

from django.urls import path

from memoryhub.handoffs.views import acting, board, figures, news, sending

urlpatterns = [
    path("handoffs/", board.handoff_board, name="handoffs"),
    path("handoffs/new/", sending.new_handoff, name="handoff-new"),
    path("handoffs/figures/", figures.handoff_figures, name="handoff-figures"),
    path("handoffs/news/", news.board_news, name="handoffs-news"),
    path("handoffs/<str:name>.md", board.handoff_as_text, name="handoff-text"),
    path("handoffs/<str:name>/", board.handoff_detail, name="handoff"),
    path("handoffs/<str:name>/news/", news.handoff_news, name="handoff-news"),
    path("handoffs/<str:name>/change/", acting.change_handoff, name="handoff-change"),
    path("handoffs/<str:name>/<str:act>/", acting.act_on_handoff, name="handoff-act"),
]
