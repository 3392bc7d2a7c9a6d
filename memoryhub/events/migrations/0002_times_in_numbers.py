"""Times of projected rows as numbers."""

from django.db import migrations

from memoryhub.journal.moments import MomentField, in_numbers

#: The times of each model, and whether they can be null.
TIMES = {
    'event': {'occurred_at': False, 'recorded_at': False},
}


class Migration(migrations.Migration):

    dependencies = [
        ('timeline', '0001_beta'),
    ]

    operations = [
        *(
            migrations.AlterField(model, name, MomentField(null=null))
            for model, names in TIMES.items()
            for name, null in names.items()
        ),
        *(in_numbers(f'timeline_{model}', *names) for model, names in TIMES.items()),
    ]
