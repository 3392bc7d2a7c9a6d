"""Times of projected rows as numbers."""

from django.db import migrations

from memoryhub.journal.moments import MomentField, in_numbers

#: The times of each model, and whether they can be null.
TIMES = {
    'filestat': {'held_at': True},
    'problem': {'recorded_at': False},
    'sourcefile': {'recorded_at': False},
}


class Migration(migrations.Migration):

    dependencies = [
        ('workspaces', '0005_kept_ids'),
    ]

    operations = [
        *(
            migrations.AlterField(model, name, MomentField(null=null))
            for model, names in TIMES.items()
            for name, null in names.items()
        ),
        *(in_numbers(f'workspaces_{model}', *names) for model, names in TIMES.items()),
    ]
