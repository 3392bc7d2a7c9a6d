from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('reviews', '0001_beta'),
    ]

    operations = [
        migrations.AddField(
            model_name='reviewcard',
            name='first_accepted_at',
            field=models.DateTimeField(null=True),
        ),
    ]
