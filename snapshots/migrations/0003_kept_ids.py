"""Statements found by earlier versions keep their ids."""

from collections import Counter

from django.db import migrations

from memoryhub.journal.grades import statement_key
from memoryhub.values.identity import derive_run, nth_id

STATEMENTS = {'item': ('snapshots', 'OpenItem'), 'directive': ('topics', 'Directive')}
COLUMNS = ('id', 'workspace_id', 'workspace__uuid', 'file_id', 'first_seq', 'text')


def keep_ids(apps, editor):
    """Note the id of each statement with that by which this version would name it."""
    kept_id = apps.get_model('workspaces', 'KeptId')
    for kind, (app, name) in STATEMENTS.items():
        told = Counter()
        rows = apps.get_model(app, name)._base_manager.order_by('position', 'id')
        found = []
        for row_id, workspace, uuid, file, seq, text in rows.values_list(*COLUMNS):
            key = statement_key(kind, text)
            base = derive_run(uuid.bytes, seq, name, file, str(key))
            found.append(kept_id(id=nth_id(base, told[base]), workspace_id=workspace, seq=seq, kept=row_id))
            told[base] += 1
        kept_id.objects.bulk_create(found, batch_size=500, ignore_conflicts=True)


class Migration(migrations.Migration):

    dependencies = [
        ('snapshots', '0002_grades'),
        ('topics', '0003_grades'),
        ('workspaces', '0005_kept_ids'),
    ]

    operations = [migrations.RunPython(keep_ids, migrations.RunPython.noop)]
