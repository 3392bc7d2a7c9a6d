"""Parts of the product that are mutated, each with the tests of its own."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]


class Area(NamedTuple):
    """Files and folders of the product, and the tests that have to notice.

    These run in the process of the mutant, and the clock decides none of them.
    """

    mutated: tuple[str, ...]
    tests: tuple[str, ...]

    def files(self) -> list[Path]:
        """Return the modules to mutate."""
        places = [ROOT / name for name in self.mutated]
        found = [p for place in places for p in (*place.rglob("*.py"), place)]
        return sorted(path for path in found if path.suffix == ".py")


def _tests(folder: str, names: str) -> list[str]:
    return [f"tests/{folder}/test_{name}.py" for name in names.split()]


AREAS = {
    "importers": Area(
        ("topics/importers", "snapshots/importers", "memoryhub/handoffs/importers"),
        (
            *_tests("topics", "importers decision_states decision_verbs topic_states"),
            *_tests("topics", "decision_records host_notes instructions plans"),
            *_tests("topics", "topics_by_name kinds"),
            *_tests("timeline", "stated_times"),
            *_tests("snapshots", "importers log_verbs day_sources entry_owners"),
            *_tests("snapshots", "growing_logs handoff_notes open_items team_files"),
            *_tests("snapshots", "work_notes carried_over columns memories"),
            *_tests("sync", "assigning moves zones week"),
            *_tests("handoffs", "importers log_verbs signing lane queries"),
            *_tests(
                "handoffs", "block_problems strangers past_elsewhere elsewhere lanes"
            ),
            *_tests("handoffs", "forged_sides older_copies after"),
        ),
    ),
    "sync": Area(
        ("memoryhub/sync/record", "memoryhub/sync/edit"),
        (
            *_tests("sync", "editing editing_interrupted editing_reviewed settling"),
            *_tests("sync", "holding leftovers lost_writes removing torn_saves gate"),
            *_tests("sync", "clearing assigning presence engine journal moves"),
            *_tests("sync", "projection rebuild import_failures shrinking"),
            *_tests("sync", "preview deletions grouping losses moves_with_changes"),
            *_tests("sync", "given_times same_paths runs landings refusals"),
            *_tests("forgetting", "many_files forgetting"),
        ),
    ),
    "handoffs": Area(
        ("memoryhub/handoffs/rules", "memoryhub/handoffs/queries"),
        (
            *_tests("handoffs", "queries rules lane ready overlaps decisions"),
            *_tests("handoffs", "sides older_copies views"),
            *_tests("handoffs", "signing resending services views_figures importers"),
            *_tests("handoffs", "after alarms elsewhere lanes past_elsewhere pools"),
            *_tests("handoffs", "returning strangers block_problems graph ids"),
            *_tests("handoffs", "views_acting views_hub views_sending views_many"),
            *_tests("handoffs", "messages foreign inbox inboxes review memory"),
            *_tests("handoffs", "forged_sides rules_refusals rules_outcomes threads"),
            *_tests("handoffs", "rules_parties board_queries candidates leases waits"),
            *_tests("handoffs", "conversation inbox_news lookups standstill moved"),
            *_tests("handoffs", "inbox_alarms"),
        ),
    ),
    "edits": Area(
        (
            *(
                f"memoryhub/formats/text/{name}.py"
                for name in ("line_edits", "list_items")
            ),
            *(
                f"memoryhub/dialects/{name}"
                for name in (
                    *("topic_context", "session_map", "handoff", "task_snapshot"),
                    *("decision_log", "error_log", "session_compact"),
                )
            ),
        ),
        (
            *_tests("formats", "decision_log decision_log_records decision_text"),
            *_tests("formats", "error_log handoff handoff_blocks handoff_edits"),
            *_tests("formats", "handoff_state injection line_edits list_items"),
            *_tests("formats", "session_analysis session_map snapshot_draft"),
            *_tests("formats", "topic_context topic_edits topic_entries topic_history"),
            *_tests("formats", "decision_record memory_bank daily_log log_entries"),
            *_tests("formats", "log_cuts plain session_compact"),
            *_tests("tools", "session_text snap_memory task_files"),
            *_tests("handoffs", "signing log_verbs block_problems"),
            *_tests("topics", "decision_verbs"),
        ),
    ),
}
