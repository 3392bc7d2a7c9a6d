import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('workspaces', '0004_roles'),
    ]

    operations = [
        migrations.CreateModel(
            name='KeptId',
            fields=[
                ('id', models.BigIntegerField(primary_key=True, serialize=False)),
                ('seq', models.BigIntegerField()),
                ('kept', models.BigIntegerField()),
                ('workspace', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to='workspaces.workspace')),
            ],
            options={
                'indexes': [models.Index(fields=['workspace', 'seq'], name='kept_id')],
            },
        ),
    ]
