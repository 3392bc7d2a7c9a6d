"""What is done by a hub that is killed, by name."""

from __future__ import annotations

from functools import partial

from tests.durability import edits, serving, upkeep
from tests.durability.field import LOG, TOPIC, Act, notes, stands_once

_NOTED_ONCE, _DECIDED_ONCE = (partial(stands_once, path=path) for path in (LOG, TOPIC))

ACTS = {
    "import": Act(
        upkeep.every_dialect, upkeep.import_changes, before=upkeep.change_files
    ),
    "append": Act(notes, edits.append, _NOTED_ONCE),
    "edit": Act(notes, edits.edit, _DECIDED_ONCE),
    "replace": Act(notes, edits.replace, edits.nothing_of_others_is_lost, writer=LOG),
    "export": Act(edits.reviewed, edits.export, edits.all_written),
    "together": Act(
        edits.reviewed, edits.write_together, edits.all_written, edits.stage
    ),
    "rebuild": Act(
        upkeep.every_dialect, upkeep.rebuild_rows, before=upkeep.change_files
    ),
    "spool": Act(notes, serving.spool, serving.each_is_saved_once),
    "backup": Act(notes, upkeep.backup, upkeep.every_backup_is_whole),
    "forget": Act(notes, upkeep.forget, upkeep.nowhere_any_more, upkeep.write_a_secret),
    "server": Act(
        serving.with_a_port,
        serving.serve,
        _NOTED_ONCE,
        meanwhile=serving.ask_the_server,
        again=serving.serve_again,
    ),
}
