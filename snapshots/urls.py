"""Addresses of snapshots and of what agents are told, below their workspace's."""

from __future__ import annotations

from django.urls import path

from snapshots.views import handover, memories, recall, snapshots

urlpatterns = [
    path("handover/", handover.handover, name="handover"),
    path("handover.md", handover.handover_text, name="handover-text"),
    path("handover.zip", handover.handover_zip, name="handover-zip"),
    path("handover/write/", handover.handover_write, name="handover-write"),
    path("memories/", memories.memory_list, name="memories"),
    path("memories/<str:address>/", memories.memory, name="memory"),
    path("memories/<str:address>.md", memories.memory_markdown, name="memory-text"),
    path("topics/<str:address>/recall/", recall.recall, name="recall"),
    path("topics/<str:address>/recall.md", recall.recall_text, name="recall-text"),
    path("snapshots/<str:code>.md", snapshots.snapshot_text, name="snapshot-text"),
    path("snapshots/<str:code>/", snapshots.snapshot, name="snapshot"),
    path("snapshots/<str:code>/reviewed/", snapshots.review, name="snapshot-reviewed"),
]
