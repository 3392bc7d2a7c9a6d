from __future__ import annotations

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def keep_chosen(apps: Apps, _editor: BaseDatabaseSchemaEditor) -> None:
    """A zone other than the default was set by a person."""
    workspaces = apps.get_model("workspaces", "Workspace")._default_manager
    workspaces.exclude(time_zone="UTC").update(zone_chosen=True)


class Migration(migrations.Migration):

    dependencies = [
        ('workspaces', '0006_sessions_of_operations'),
    ]

    operations = [
        migrations.AddField(
            model_name='workspace',
            name='zone_chosen',
            field=models.BooleanField(default=False),
        ),
        migrations.RunPython(keep_chosen, migrations.RunPython.noop),
    ]
