"""Times of projected rows as numbers."""

from django.db import migrations

from memoryhub.journal.moments import MomentField, in_numbers

#: The times of each model, and whether they can be null.
TIMES = {
    'handoff': {'due_at': True, 'finished_at': True, 'last_at': True, 'occurred_at': False, 'signed_at': True, 'taken_at': True},
    'handoffstep': {'happened_at': True, 'recorded_at': False},
}


class Migration(migrations.Migration):

    dependencies = [
        ('handoffs', '0002_indexes'),
    ]

    operations = [
        *(
            migrations.AlterField(model, name, MomentField(null=null))
            for model, names in TIMES.items()
            for name, null in names.items()
        ),
        *(in_numbers(f'handoffs_{model}', *names) for model, names in TIMES.items()),
    ]
