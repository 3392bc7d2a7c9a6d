"""Times of events as numbers, and two indexes less."""

from django.db import migrations, models

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
            migrations.RemoveIndex('event', f'event_{owner}{kind}')
            for owner in ('topic', 'agent')
            for kind in ('', '_kind')
        ),
        *(
            migrations.AlterField(model, name, MomentField(null=null))
            for model, names in TIMES.items()
            for name, null in names.items()
        ),
        *(in_numbers(f'timeline_{model}', *names) for model, names in TIMES.items()),
        *(
            migrations.AddIndex(
                'event',
                models.Index(
                    fields=[owner, 'occurred_at', 'position', 'kind'],
                    condition=models.Q((f'{owner}__isnull', False)),
                    name=f'event_{owner}',
                ),
            )
            for owner in ('topic', 'agent')
        ),
    ]
