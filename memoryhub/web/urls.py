"""Addresses of all pages: those of the hub, and those below a workspace."""

from __future__ import annotations

from django.urls import include, path

from memoryhub.web.agents import views as agents_views
from memoryhub.web.audit import views as audit_views
from memoryhub.web.channels import views as channels_views
from memoryhub.web.claims import views as claims_views
from memoryhub.web.comments import views as comments_views
from memoryhub.web.connect import views as connect_views
from memoryhub.web.decisions.views import deciding as decisions_deciding
from memoryhub.web.decisions.views import decisions as decisions_views
from memoryhub.web.exports import views as exports_views
from memoryhub.web.files import views as files_views
from memoryhub.web.forgetting import views as forgetting_views
from memoryhub.web.handoffs.views import acting as handoffs_acting
from memoryhub.web.handoffs.views import board as handoffs_board
from memoryhub.web.handoffs.views import inbox as handoffs_inbox
from memoryhub.web.handoffs.views import sending as handoffs_sending
from memoryhub.web.handover import views as handover_views
from memoryhub.web.health import views as health_views
from memoryhub.web.help import views as help_views
from memoryhub.web.imports.views import found as imports_found
from memoryhub.web.imports.views import runs as imports_runs
from memoryhub.web.imports.views import wizard as import_wizard
from memoryhub.web.kit import undo
from memoryhub.web.open_items import views as open_item_views
from memoryhub.web.overview import assigning as overview_assigning
from memoryhub.web.overview import views as overview_views
from memoryhub.web.people.views import groups, members, persons, saved_views, tokens
from memoryhub.web.recall import views as recall_views
from memoryhub.web.reviews import rules as review_rules
from memoryhub.web.reviews import views as review_views
from memoryhub.web.search import views as search_views
from memoryhub.web.settings import views as settings_views
from memoryhub.web.snapshots import views as snapshots_views
from memoryhub.web.suggestions import views as suggestion_views
from memoryhub.web.timeline.views import feeds as timeline_feeds
from memoryhub.web.timeline.views import timeline as timeline_views
from memoryhub.web.topics.views import sessions as topics_sessions
from memoryhub.web.topics.views import status as topics_status
from memoryhub.web.topics.views import topics as topics_views

_WORKSPACE = [
    # Overview, agents, timeline, days
    path("", overview_views.overview, name="workspace"),
    path("seen/", overview_views.mark_seen, name="mark-seen"),
    path("seen/undo/", overview_views.unsee, name="unsee"),
    path("turns/<str:mark>/", overview_assigning.assign_turn, name="turn-assign"),
    path("connect/", connect_views.connect, name="connect"),
    path("trends/", timeline_views.trends, name="trends"),
    path("files-in-play/", timeline_views.in_play, name="files-in-play"),
    path("files-in-play/<int:number>/end/", claims_views.end_claim, name="claim_end"),
    path("agents/", agents_views.agents, name="agents"),
    path("agents/<path:name>/", agents_views.agent, name="agent"),
    path("timeline/", timeline_views.timeline, name="timeline"),
    path("news/", timeline_feeds.news, name="news"),
    path("timeline.atom", timeline_feeds.workspace_feed, name="timeline-feed"),
    path("your-turn.atom", timeline_feeds.turn_feed, name="turn-feed"),
    path("topics/<str:address>.atom", timeline_feeds.topic_feed, name="topic-feed"),
    path("days/", timeline_views.newest_day, name="days"),
    path("days/<str:day>.md", timeline_views.day_text, name="day-text"),
    path("days/<str:day>/", timeline_views.day, name="day"),
    # Handoffs
    path("inbox/", handoffs_inbox.inbox, name="inbox"),
    path("inbox/read/", handoffs_inbox.read_messages, name="read_messages"),
    path("handoffs/", handoffs_board.handoff_board, name="handoffs"),
    path("handoffs/new/", handoffs_sending.new_handoff, name="handoff-new"),
    path("handoffs/figures/", handoffs_board.handoff_figures, name="handoff-figures"),
    path("handoffs/<str:name>.md", handoffs_board.handoff_as_text, name="handoff-text"),
    path("handoffs/<str:name>/", handoffs_board.handoff_detail, name="handoff"),
    path(
        "handoffs/<str:name>/change/",
        handoffs_acting.change_handoff,
        name="handoff-change",
    ),
    path(
        "handoffs/<str:name>/<str:act>/",
        handoffs_acting.act_on_handoff,
        name="handoff-act",
    ),
    # Files, health, settings
    path("files/", files_views.files, name="files"),
    path("files/<anypath:path>", files_views.file, name="file"),
    path("merge/<anypath:path>", files_views.merge, name="merge"),
    path("restore/<anypath:path>", files_views.restore, name="restore"),
    path("role/<anypath:path>", files_views.role, name="file-role"),
    path("undo/<str:key>/", undo.undo_view, name="undo"),
    path("health/", health_views.health, name="health"),
    path("health/repoint/", health_views.repoint, name="repoint"),
    path("health/breaker/", health_views.clear_breaker, name="clear_breaker"),
    path("health/clear/", health_views.clear_problem, name="clear_problem"),
    path("problems/", health_views.problems, name="problems"),
    path("settings/", settings_views.settings, name="settings"),
    path("move/", settings_views.move, name="workspace_move"),
    path("delete/", settings_views.delete, name="workspace_delete"),
    path("imports/", imports_runs.imports, name="imports"),
    path("imports/<int:number>/", imports_runs.run, name="run"),
    # Review of what agents wrote
    path("review/", review_views.reviews, name="reviews"),
    path("review/accept/", review_views.accept_shown, name="review-accept-shown"),
    path("review/revert/", review_views.revert_shown, name="review-revert-shown"),
    path(
        "review/revert/<uuid:batch>/undo/",
        review_views.unrevert_shown,
        name="review-unrevert-shown",
    ),
    path("review/policies/", review_rules.save_policies, name="review-policies"),
    path("review/rules/new/", review_rules.new_rule, name="review-rule-new"),
    path("review/rules/<int:number>/", review_rules.change_rule, name="review-rule"),
    path(
        "review/rules/<int:number>/remove/",
        review_rules.drop_rule,
        name="review-rule-remove",
    ),
    path("review/<int:number>/", review_views.review, name="review"),
    path("review/<int:number>/accept/", review_views.accept, name="review-accept"),
    path("review/<int:number>/revert/", review_views.revert, name="review-revert"),
    path("review/<int:number>/reopen/", review_views.reopen, name="review-reopen"),
    path("review/<int:number>/edit/", review_views.edit, name="review-edit"),
    # Forgetting
    path("forget/", forgetting_views.forget, name="forget"),
    path("forget/<int:number>/", forgetting_views.forgetting, name="forgetting"),
    path(
        "forget/<int:number>/confirm/", forgetting_views.confirm, name="forget_confirm"
    ),
    path("forget/<int:number>/back/", forgetting_views.take_back, name="forget_back"),
    # Comments
    path("comments/", comments_views.comments, name="comments"),
    path("comments/new/", comments_views.new_thread, name="comment_new"),
    path("comments/export/", comments_views.export_comments, name="comment_export"),
    path("comments/<int:number>/", comments_views.thread, name="comment"),
    path(
        "comments/<int:number>/reply/", comments_views.add_reply, name="comment_reply"
    ),
    path(
        "comments/<int:number>/reopen/",
        comments_views.reopen_thread,
        name="comment_reopen",
    ),
    # Export of files
    path("export/", exports_views.export, name="export"),
    path("export/download/", exports_views.download, name="export_download"),
    # Search
    path("search/", search_views.search_page, name="search"),
    path("palette", search_views.palette, name="palette"),
    # Snapshots, memories, recall, export for an agent
    path("handover/", handover_views.handover, name="handover"),
    path("handover.md", handover_views.handover_text, name="handover-text"),
    path("handover.zip", handover_views.handover_zip, name="handover-zip"),
    path("handover/write/", handover_views.handover_write, name="handover-write"),
    path("memories/", snapshots_views.memory_list, name="memories"),
    path("memories/<str:address>/", snapshots_views.memory, name="memory"),
    path(
        "memories/<str:address>.md",
        snapshots_views.memory_markdown,
        name="memory-text",
    ),
    path("recall/", recall_views.workspace_recall, name="workspace-recall"),
    path("recall.md", recall_views.workspace_recall_text, name="workspace-recall-text"),
    path("topics/<str:address>/recall/", recall_views.recall, name="recall"),
    path(
        "topics/<str:address>/recall.md", recall_views.recall_text, name="recall-text"
    ),
    path("snapshots/", snapshots_views.snapshot_list, name="snapshots"),
    path(
        "snapshots/<str:code>.md", snapshots_views.snapshot_text, name="snapshot-text"
    ),
    path("snapshots/<str:code>/", snapshots_views.snapshot, name="snapshot"),
    path(
        "snapshots/<str:code>/reviewed/",
        snapshots_views.review,
        name="snapshot-reviewed",
    ),
    # Topics, decisions, sessions
    path("decisions/", decisions_views.decision_list, name="decisions"),
    path("directives/", decisions_views.directive_list, name="directives"),
    path("decisions.md", decisions_views.decision_log_text, name="decisions-text"),
    path("decisions/new/", decisions_deciding.new_decision, name="decision-new"),
    path(
        "decisions/<str:code>.md",
        decisions_views.decision_as_text,
        name="decision-text",
    ),
    path("decisions/<str:code>/", decisions_views.decision_detail, name="decision"),
    path(
        "decisions/<str:code>/reject/",
        decisions_views.reject_decision,
        name="decision-reject",
    ),
    path(
        "decisions/<str:code>/sign-off/",
        decisions_views.write_sign_off_line,
        name="decision-sign-off",
    ),
    path("open-items/", open_item_views.open_items, name="open-items"),
    path("open-items/<str:code>/", open_item_views.open_item, name="open-item"),
    path(
        "open-items/<str:code>/close/",
        open_item_views.close_open_item,
        name="open-item-close",
    ),
    path(
        "open-items/<str:code>/reopen/",
        open_item_views.reopen_open_item,
        name="open-item-reopen",
    ),
    path(
        "suggestions/<str:verdict>/",
        suggestion_views.judge_suggestions,
        name="suggestions",
    ),
    path("sessions/", topics_sessions.session_list, name="sessions"),
    path("sessions/<path:key>/", topics_sessions.session_detail, name="session"),
    path("unassigned/", topics_sessions.unassigned_list, name="unassigned"),
    path("assign/<str:kind>/<str:code>/", topics_sessions.assign_row, name="assign"),
    path("topics/", topics_views.topic_list, name="topics"),
    path("topics/<str:address>.md", topics_views.topic_text, name="topic-text"),
    path("topics/<str:address>/", topics_views.topic, name="topic"),
    path(
        "topics/<str:address>/status/", topics_status.edit_status, name="topic-status"
    ),
    path("topics/<str:address>/<str:tab>/", topics_views.topic, name="topic-tab"),
]

urlpatterns = [
    path("help/", help_views.contents, name="help"),
    path("help/<path:name>/", help_views.page, name="help-page"),
    path("handoffs/", handoffs_board.hub_board, name="hub-handoffs"),
    path("news/", timeline_feeds.hub_news, name="hub-news"),
    # People
    path("open/", persons.open_link, name="open"),
    path("me/", persons.me, name="me"),
    path("me/sign-out/", persons.sign_out, name="sign-out"),
    path("me/channels/", channels_views.channels, name="channels"),
    path("push-worker.js", channels_views.push_worker, name="push-worker"),
    path("me/channels/mail/", channels_views.mail, name="mail-channel"),
    path("me/channels/<int:number>/", channels_views.channel, name="channel"),
    path(
        "me/channels/<int:number>/test/",
        channels_views.test_channel,
        name="test-channel",
    ),
    path(
        "me/channels/<int:number>/remove/",
        channels_views.remove_channel,
        name="remove-channel",
    ),
    path("w/<str:slug>/views/", saved_views.save, name="save-view"),
    path(
        "w/<str:slug>/views/<int:view>/delete/",
        saved_views.delete,
        name="delete-view",
    ),
    path("groups/", groups.groups, name="groups"),
    path("audit/", audit_views.audit, name="audit"),
    path("audit/log.csv", audit_views.audit_csv, name="audit-csv"),
    path("w/<str:slug>/audit/", audit_views.workspace_audit, name="workspace-audit"),
    path(
        "w/<str:slug>/audit/log.csv", audit_views.audit_csv, name="workspace-audit-csv"
    ),
    path("groups/<int:number>/", groups.group, name="group"),
    path("w/<str:slug>/members/", members.members, name="members"),
    path(
        "w/<str:slug>/members/<str:kind>/<int:number>/", members.member, name="member"
    ),
    path("w/<str:slug>/tokens/", tokens.tokens, name="tokens"),
    path("w/<str:slug>/tokens/revoke/", tokens.revoke, name="revoke-token"),
    path("w/<str:slug>/tokens/rotate/", tokens.rotate, name="rotate-token"),
    # Imports
    path("imports/new/", import_wizard.new, name="import_new"),
    path("imports/found/", imports_found.add, name="import_found"),
    path("imports/<int:pk>/", import_wizard.job, name="import"),
    path("imports/<int:pk>/start/", import_wizard.start, name="import_start"),
    path("imports/<int:pk>/give-up/", import_wizard.give_up, name="import_give_up"),
    path("w/<str:slug>/imports/new/", import_wizard.new_in, name="import_new_in"),
    path("w/<str:slug>/imports/inside/", imports_found.add_inside, name="add_inside"),
    path("w/<str:slug>/imports/again/", import_wizard.again, name="import_again"),
    path("w/<str:slug>/", include(_WORKSPACE)),
]
