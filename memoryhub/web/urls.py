"""Addresses of all pages: those of the hub, and those below a workspace."""

from __future__ import annotations

from django.urls import include, path

from memoryhub.web import (
    agents,
    channels,
    claims,
    comments,
    connect,
    exports,
    forgetting,
    handover,
    open_items,
    recall,
    search,
    settings,
    suggestions,
)
from memoryhub.web import help as manual
from memoryhub.web.audit import views as audit
from memoryhub.web.decisions import deciding
from memoryhub.web.decisions import pages as decisions
from memoryhub.web.files import pages as files
from memoryhub.web.handoffs import acting, board
from memoryhub.web.health import pages as health
from memoryhub.web.imports import pages as imports
from memoryhub.web.kit import responses
from memoryhub.web.overview import pages as overview
from memoryhub.web.people import members, persons
from memoryhub.web.reviews import pages as reviews
from memoryhub.web.snapshots import pages as snapshots
from memoryhub.web.timeline import feeds
from memoryhub.web.timeline import pages as timeline
from memoryhub.web.topics import sessions, topics

_WORKSPACE = [
    # Overview, agents, timeline, days
    path("", overview.overview, name="workspace"),
    path("seen/", overview.mark_seen, name="mark-seen"),
    path("seen/undo/", overview.unsee, name="unsee"),
    path("turns/<str:mark>/", overview.assign_turn, name="turn-assign"),
    path("connect/", connect.connect, name="connect"),
    path("trends/", timeline.trends, name="trends"),
    path("files-in-play/", timeline.in_play, name="files-in-play"),
    path("files-in-play/<int:number>/end/", claims.end_claim, name="claim_end"),
    path("agents/", agents.agents, name="agents"),
    path("agents/<path:name>/", agents.agent, name="agent"),
    path("timeline/", timeline.timeline, name="timeline"),
    path("news/", feeds.news, name="news"),
    path("timeline.atom", feeds.workspace_feed, name="timeline-feed"),
    path("your-turn.atom", feeds.turn_feed, name="turn-feed"),
    path("topics/<str:address>.atom", feeds.topic_feed, name="topic-feed"),
    path("days/", timeline.newest_day, name="days"),
    path("days/<str:day>.md", timeline.day_text, name="day-text"),
    path("days/<str:day>/", timeline.day, name="day"),
    # Handoffs
    path("inbox/", acting.inbox, name="inbox"),
    path("inbox/read/", acting.read_messages, name="read_messages"),
    path("handoffs/", board.handoff_board, name="handoffs"),
    path("handoffs/new/", acting.new_handoff, name="handoff-new"),
    path("handoffs/figures/", board.handoff_figures, name="handoff-figures"),
    path("handoffs/<str:name>.md", board.handoff_as_text, name="handoff-text"),
    path("handoffs/<str:name>/", board.handoff_detail, name="handoff"),
    path(
        "handoffs/<str:name>/change/",
        acting.change_handoff,
        name="handoff-change",
    ),
    path(
        "handoffs/<str:name>/<str:act>/",
        acting.act_on_handoff,
        name="handoff-act",
    ),
    # Files, health, settings
    path("files/", files.files, name="files"),
    path("files/<anypath:path>", files.file, name="file"),
    path("merge/<anypath:path>", files.merge, name="merge"),
    path("restore/<anypath:path>", files.restore, name="restore"),
    path("role/<anypath:path>", files.role, name="file-role"),
    path("undo/<str:key>/", responses.undo_view, name="undo"),
    path("health/", health.health, name="health"),
    path("health/repoint/", health.repoint, name="repoint"),
    path("health/breaker/", health.clear_breaker, name="clear_breaker"),
    path("health/clear/", health.clear_problem, name="clear_problem"),
    path("problems/", health.problems, name="problems"),
    path("settings/", settings.settings, name="settings"),
    path("move/", settings.move, name="workspace_move"),
    path("delete/", settings.delete, name="workspace_delete"),
    path("imports/", imports.imports, name="imports"),
    path("imports/<int:number>/", imports.run, name="run"),
    # Review of what agents wrote
    path("review/", reviews.reviews, name="reviews"),
    path("review/accept/", reviews.accept_shown, name="review-accept-shown"),
    path("review/revert/", reviews.revert_shown, name="review-revert-shown"),
    path(
        "review/revert/<uuid:batch>/undo/",
        reviews.unrevert_shown,
        name="review-unrevert-shown",
    ),
    path("review/policies/", reviews.save_policies, name="review-policies"),
    path("review/rules/new/", reviews.new_rule, name="review-rule-new"),
    path("review/rules/<int:number>/", reviews.change_rule, name="review-rule"),
    path(
        "review/rules/<int:number>/remove/",
        reviews.drop_rule,
        name="review-rule-remove",
    ),
    path("review/<int:number>/", reviews.review, name="review"),
    path("review/<int:number>/accept/", reviews.accept, name="review-accept"),
    path("review/<int:number>/revert/", reviews.revert, name="review-revert"),
    path("review/<int:number>/reopen/", reviews.reopen, name="review-reopen"),
    path("review/<int:number>/edit/", reviews.edit, name="review-edit"),
    # Forgetting
    path("forget/", forgetting.forget, name="forget"),
    path("forget/<int:number>/", forgetting.forgetting, name="forgetting"),
    path("forget/<int:number>/confirm/", forgetting.confirm, name="forget_confirm"),
    path("forget/<int:number>/back/", forgetting.take_back, name="forget_back"),
    # Comments
    path("comments/", comments.comments, name="comments"),
    path("comments/new/", comments.new_thread, name="comment_new"),
    path("comments/export/", comments.export_comments, name="comment_export"),
    path("comments/<int:number>/", comments.thread, name="comment"),
    path("comments/<int:number>/reply/", comments.add_reply, name="comment_reply"),
    path(
        "comments/<int:number>/reopen/",
        comments.reopen_thread,
        name="comment_reopen",
    ),
    # Export of files
    path("export/", exports.export, name="export"),
    path("export/download/", exports.download, name="export_download"),
    # Search
    path("search/", search.search_page, name="search"),
    path("palette", search.palette, name="palette"),
    # Snapshots, memories, recall, export for an agent
    path("handover/", handover.handover, name="handover"),
    path("handover.md", handover.handover_text, name="handover-text"),
    path("handover.zip", handover.handover_zip, name="handover-zip"),
    path("handover/write/", handover.handover_write, name="handover-write"),
    path("memories/", snapshots.memory_list, name="memories"),
    path("memories/<str:address>/", snapshots.memory, name="memory"),
    path(
        "memories/<str:address>.md",
        snapshots.memory_markdown,
        name="memory-text",
    ),
    path("recall/", recall.workspace_recall, name="workspace-recall"),
    path("recall.md", recall.workspace_recall_text, name="workspace-recall-text"),
    path("topics/<str:address>/recall/", recall.recall, name="recall"),
    path("topics/<str:address>/recall.md", recall.recall_text, name="recall-text"),
    path("snapshots/", snapshots.snapshot_list, name="snapshots"),
    path("snapshots/<str:code>.md", snapshots.snapshot_text, name="snapshot-text"),
    path("snapshots/<str:code>/", snapshots.snapshot, name="snapshot"),
    path(
        "snapshots/<str:code>/reviewed/",
        snapshots.review,
        name="snapshot-reviewed",
    ),
    # Topics, decisions, sessions
    path("decisions/", decisions.decision_list, name="decisions"),
    path("directives/", decisions.directive_list, name="directives"),
    path("decisions.md", decisions.decision_log_text, name="decisions-text"),
    path("decisions/new/", deciding.new_decision, name="decision-new"),
    path(
        "decisions/<str:code>.md",
        decisions.decision_as_text,
        name="decision-text",
    ),
    path("decisions/<str:code>/", decisions.decision_detail, name="decision"),
    path(
        "decisions/<str:code>/reject/",
        decisions.reject_decision,
        name="decision-reject",
    ),
    path(
        "decisions/<str:code>/sign-off/",
        decisions.write_sign_off_line,
        name="decision-sign-off",
    ),
    path("open-items/", open_items.open_items, name="open-items"),
    path("open-items/<str:code>/", open_items.open_item, name="open-item"),
    path(
        "open-items/<str:code>/close/",
        open_items.close_open_item,
        name="open-item-close",
    ),
    path(
        "open-items/<str:code>/reopen/",
        open_items.reopen_open_item,
        name="open-item-reopen",
    ),
    path(
        "suggestions/<str:verdict>/",
        suggestions.judge_suggestions,
        name="suggestions",
    ),
    path("sessions/", sessions.session_list, name="sessions"),
    path("sessions/<path:key>/", sessions.session_detail, name="session"),
    path("unassigned/", sessions.unassigned_list, name="unassigned"),
    path("assign/<str:kind>/<str:code>/", sessions.assign_row, name="assign"),
    path("topics/", topics.topic_list, name="topics"),
    path("topics/<str:address>.md", topics.topic_text, name="topic-text"),
    path("topics/<str:address>/", topics.topic, name="topic"),
    path("topics/<str:address>/status/", topics.edit_status, name="topic-status"),
    path("topics/<str:address>/<str:tab>/", topics.topic, name="topic-tab"),
]

urlpatterns = [
    path("help/", manual.contents, name="help"),
    path("help/<path:name>/", manual.page, name="help-page"),
    path("handoffs/", board.hub_board, name="hub-handoffs"),
    path("news/", feeds.hub_news, name="hub-news"),
    # People
    path("open/", persons.open_link, name="open"),
    path("me/", persons.me, name="me"),
    path("me/sign-out/", persons.sign_out, name="sign-out"),
    path("me/channels/", channels.channels, name="channels"),
    path("push-worker.js", channels.push_worker, name="push-worker"),
    path("me/channels/mail/", channels.mail, name="mail-channel"),
    path("me/channels/<int:number>/", channels.channel, name="channel"),
    path(
        "me/channels/<int:number>/test/",
        channels.test_channel,
        name="test-channel",
    ),
    path(
        "me/channels/<int:number>/remove/",
        channels.remove_channel,
        name="remove-channel",
    ),
    path("w/<str:slug>/views/", persons.keep_view, name="save-view"),
    path(
        "w/<str:slug>/views/<int:view>/delete/",
        persons.drop_view,
        name="delete-view",
    ),
    path("groups/", members.groups, name="groups"),
    path("audit/", audit.audit, name="audit"),
    path("audit/log.csv", audit.audit_csv, name="audit-csv"),
    path("w/<str:slug>/audit/", audit.workspace_audit, name="workspace-audit"),
    path("w/<str:slug>/audit/log.csv", audit.audit_csv, name="workspace-audit-csv"),
    path("groups/<int:number>/", members.group, name="group"),
    path("w/<str:slug>/members/", members.members, name="members"),
    path(
        "w/<str:slug>/members/<str:kind>/<int:number>/", members.member, name="member"
    ),
    path("w/<str:slug>/tokens/", persons.tokens, name="tokens"),
    path("w/<str:slug>/tokens/revoke/", persons.withdraw_token, name="revoke-token"),
    path("w/<str:slug>/tokens/rotate/", persons.replace_token, name="rotate-token"),
    # Imports
    path("imports/new/", imports.new, name="import_new"),
    path("imports/found/", imports.add, name="import_found"),
    path("imports/<int:pk>/", imports.job, name="import"),
    path("imports/<int:pk>/start/", imports.start, name="import_start"),
    path("imports/<int:pk>/give-up/", imports.give_up, name="import_give_up"),
    path("w/<str:slug>/imports/new/", imports.new_in, name="import_new_in"),
    path("w/<str:slug>/imports/inside/", imports.add_inside, name="add_inside"),
    path("w/<str:slug>/imports/again/", imports.again, name="import_again"),
    path("w/<str:slug>/", include(_WORKSPACE)),
]
