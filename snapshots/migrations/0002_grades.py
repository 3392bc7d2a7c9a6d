from importlib import import_module

from django.db import migrations

graded = import_module('topics.migrations.0003_grades').graded


class Migration(migrations.Migration):

    dependencies = [
        ('snapshots', '0001_beta'),
    ]

    operations = graded('openitem')
