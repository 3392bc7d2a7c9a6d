from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('reviews', '0002_agent_by_operation'),
    ]

    operations = [
        migrations.AddField(
            model_name='reviewcard',
            name='first_accepted_at',
            field=models.DateTimeField(null=True),
        ),
    ]
