"""Grades of statements."""

import django.db.models.manager
from django.db import migrations, models

GRADED = {
    'grade': models.CharField(
        choices=[('declared', 'Declared'), ('suggested', 'Suggested'), ('dismissed', 'Dismissed')],
        default='declared',
        max_length=9,
    ),
    'confidence': models.FloatField(default=1.0),
    'why': models.CharField(default='', max_length=300),
    'judged_by': models.CharField(default='', max_length=200),
    'judged_at': models.DateTimeField(null=True),
}


def graded(name):
    """Return the operations that give a model its grades."""
    managers = [('everything', django.db.models.manager.Manager())]
    return [
        migrations.AlterModelManagers(name=name, managers=managers),
        *(migrations.AddField(name, field, column.clone()) for field, column in GRADED.items()),
    ]


class Migration(migrations.Migration):

    dependencies = [
        ('topics', '0002_origin_of_directives'),
    ]

    operations = [*graded('decision'), *graded('directive')]
