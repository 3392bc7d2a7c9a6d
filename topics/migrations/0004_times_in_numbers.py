"""Times of projected rows as numbers."""

from django.db import migrations

from memoryhub.journal.moments import MomentField, in_numbers

#: The times of each model, and whether they can be null.
TIMES = {
    'decision': {'judged_at': True, 'occurred_at': False, 'signed_off_at': True},
    'directive': {'judged_at': True, 'occurred_at': False},
    'historyentry': {'occurred_at': False},
    'sessionbinding': {'recorded_at': False},
}


class Migration(migrations.Migration):

    dependencies = [
        ('topics', '0003_grades'),
    ]

    operations = [
        *(
            migrations.AlterField(model, name, MomentField(null=null))
            for model, names in TIMES.items()
            for name, null in names.items()
        ),
        *(in_numbers(f'topics_{model}', *names) for model, names in TIMES.items()),
    ]
