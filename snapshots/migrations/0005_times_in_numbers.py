"""Times of projected rows as numbers."""

from django.db import migrations

from memoryhub.journal.moments import MomentField, in_numbers

#: The times of each model, and whether they can be null.
TIMES = {
    'compaction': {'occurred_at': False},
    'logentry': {'occurred_at': False},
    'openitem': {'judged_at': True, 'occurred_at': False},
    'sessionmemory': {'occurred_at': False},
    'snapshot': {'occurred_at': False},
}


class Migration(migrations.Migration):

    dependencies = [
        ('snapshots', '0004_roles_of_assigned'),
    ]

    operations = [
        *(
            migrations.AlterField(model, name, MomentField(null=null))
            for model, names in TIMES.items()
            for name, null in names.items()
        ),
        *(in_numbers(f'snapshots_{model}', *names) for model, names in TIMES.items()),
    ]
