
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('workspaces', '0003_stored_counts'),
    ]

    operations = [
        migrations.AddField(
            model_name='sourcefile',
            name='role',
            field=models.CharField(default='', max_length=12),
        ),
        migrations.AddField(
            model_name='workspace',
            name='roles',
            field=models.JSONField(blank=True, default=list),
        ),
    ]
